import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { GitPullRequest } from 'lucide-react';
import { useState } from 'react';
import type { PullRequest, PullRequests } from '../../../client/api-types.ts';
import { describeRequestPosts, listPostProblems } from '../../../domain/words/notices.ts';
import { pullRequestsQuery } from '../../api/pull-requests.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useHeldUpdates } from '../../parts/live/use-held-updates.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

/** Rows before the user asks for all. A list can have 300. */
const SHOWN = 8;

/** The open pull requests of a factory, with their last checks. */
export function PullRequestChecks({ factory }: { factory: string }) {
  const query = pullRequestsQuery(factory);
  const { data: list, error, refetch } = useQuery(query);
  const [isWhole, setIsWhole] = useState(false);
  const held = useHeldUpdates(query.queryKey, ({ type, data }) => type === 'pull_requests' && data.factory === factory);
  const rows = isWhole ? list?.data : list?.data.slice(0, SHOWN);
  const hidden = (list?.data.length ?? 0) - (rows?.length ?? 0);
  return (
    <SectionCard title="Open pull requests" actions={list && <Listed list={list} />}>
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="sm">
          {list !== undefined && <Obstacles list={list} />}
          <DataTable
            label="Open pull requests"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ number }) => String(number)}
            held={held}
            empty={list && <NoRequests list={list} />}
          />
          {hidden > 0 && (
            <Button variant="default" onClick={() => setIsWhole(true)} style={{ alignSelf: 'center' }}>
              Show {hidden} more
            </Button>
          )}
        </Stack>
      )}
    </SectionCard>
  );
}

/** Where the requests are, and since when the list is not up to date. */
function Listed({ list: { repository, branch, listed_at, problem } }: { list: PullRequests }) {
  return (
    <Text size="sm" c="dimmed">
      <UntrustedText text={`${repository}, ${branch}`} />
      {problem !== null && listed_at !== null && (
        <>
          , listed <TimeText at={listed_at} />
        </>
      )}
    </Text>
  );
}

function Obstacles({ list: { problem, has_more, data } }: { list: PullRequests }) {
  const obstacles = [
    ...(problem === null ? [] : ['The git host could not be asked last. The top of this page shows the reason.']),
    ...(has_more ? [`The git host has more open pull requests than the ${data.length} that are checked.`] : []),
  ];
  return obstacles.map((text) => (
    <Text key={text} size="sm">
      {text}
    </Text>
  ));
}

function NoRequests({ list: { branch, listed_at } }: { list: PullRequests }) {
  const title = listed_at === null ? 'The git host has not listed its pull requests yet' : 'No open pull requests';
  return (
    <EmptyState icon={GitPullRequest} title={title}>
      Pull requests for <UntrustedText text={branch} /> that change the factory appear here with their check.
    </EmptyState>
  );
}

const COLUMNS: DataColumn<PullRequest>[] = [
  { header: 'Pull request', render: (request) => <RequestTitle request={request} /> },
  {
    header: 'Head',
    render: ({ head }) => (
      <span style={{ whiteSpace: 'nowrap' }}>
        <RevisionText revision={head} />
      </span>
    ),
  },
  { header: 'Check', render: ({ state }) => <StatusBadge state={state} /> },
  {
    header: 'Description',
    render: (request) => (
      <div style={{ overflowWrap: 'anywhere', minWidth: 160 }}>
        <UntrustedText text={request.description ?? '–'} />
        {listPostProblems(request).map((problem) => (
          <Text key={problem} size="xs" c="dimmed">
            <UntrustedText text={problem} />
          </Text>
        ))}
      </div>
    ),
  },
  { header: 'Posted', render: (request) => describeRequestPosts(request).replace('-', '–') },
  {
    header: 'Checked',
    render: ({ checked_at: at }) => (at === null ? '–' : <TimeText at={at} isFocusable={false} />),
  },
];

/** Anybody may have written the title. The link leads to the git host. */
function RequestTitle({ request: { number, title, url, fork } }: { request: PullRequest }) {
  const text = <UntrustedText text={title === '' ? `#${number}` : `#${number} ${title}`} />;
  return (
    <Group gap="xs" wrap="nowrap">
      {url === null ? (
        <b>{text}</b>
      ) : (
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Anchor>
      )}
      {fork && (
        <Badge color="gray" variant="light" radius="sm" tt="none" miw="max-content">
          fork
        </Badge>
      )}
    </Group>
  );
}
