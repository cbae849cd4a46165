import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { CommitText } from '../../parts/text/commit-text.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath } from '../../paths.ts';

const SOURCES = {
  repository: 'Git repository',
  managed: 'Managed by Dockbell (Git)',
  live: 'Managed by Dockbell (database)',
} as const;

/** The live revision, its source and the number of its objects. */
export function LiveDefinition({ factory }: { factory: Factory }) {
  const { source, applied_revision, applied_commit, applied_at, attempted_revision, counts } = factory;
  const isBehind = attempted_revision !== applied_revision;
  return (
    <Stack gap="lg">
      <Group grow>
        <Count factory={factory.name} page="webhooks" count={counts.webhooks} what="webhooks" />
        <Count factory={factory.name} page="automations" count={counts.automations} what="automations" />
      </Group>
      <Group grow>
        <Count factory={factory.name} page="runs?state=running" count={counts.running_runs} what="running" />
        <Count factory={factory.name} page="runs?state=queued" count={counts.queued_runs} what="queued" />
      </Group>
      <FactList
        facts={[
          ['Live revision', <RevisionText key="live" revision={applied_revision} />],
          ['Commit', applied_commit === null ? null : <CommitText key="commit" commit={applied_commit} />],
          ['Applied', applied_at === null ? null : <TimeText key="since" at={applied_at} />],
          ['Last attempt', isBehind ? <RevisionText key="attempted" revision={attempted_revision} /> : null],
          ['Source', source === null ? 'Not in the configuration' : SOURCES[source.type]],
          ['Repository', source?.url == null ? null : <UntrustedText key="url" text={source.url} />],
          ['Branch', source?.branch == null ? null : <UntrustedText key="branch" text={source.branch} />],
        ]}
      />
    </Stack>
  );
}

function Count(props: { factory: string; page: string; count: number; what: string }) {
  const href = factoryPath(props.factory, props.page);
  return (
    <div>
      <Text fz={28} fw={700} lh={1.1}>
        {props.count}
      </Text>
      <Anchor component={Link} href={href} size="sm">
        {props.what}
      </Anchor>
    </div>
  );
}
