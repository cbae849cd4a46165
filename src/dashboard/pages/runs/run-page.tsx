import { Paper, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from 'wouter';
import type { Run } from '../../../client/api-types.ts';
import { webhookQuery } from '../../api/queries.ts';
import { isEnded, runQuery } from '../../api/runs.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { RunActions } from './run-actions.tsx';
import { RunAttempts } from './run-attempts.tsx';
import { RunDuration } from './run-duration.tsx';
import { RunInput } from './run-input.tsx';
import { RunLog } from './run-log.tsx';

/** One run: its state, log and input. */
export function RunPage() {
  const { name: factory } = useFactory();
  const { id = '' } = useParams<{ id: string }>();
  const { data: run, error, refetch } = useRun(factory, id);
  return (
    <>
      <PageHeader
        title={run?.automation ?? id}
        trail={[{ label: 'Runs', href: factoryPath(factory, 'runs') }]}
        status={run !== undefined && <StatusBadge state={run.state} />}
        actions={run !== undefined && <RunActions run={run} />}
      />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : run === undefined ? (
        <Skeleton height={320} radius="lg" />
      ) : (
        <RunDetail run={run} />
      )}
    </>
  );
}

/** Polling covers changes while the event stream is interrupted. */
const POLL_MS = 5_000;

function useRun(factory: string, id: string) {
  const queryClient = useQueryClient();
  const query = runQuery(factory, id);
  useLiveEvents(({ type, data }) => {
    if (type === 'run' && data.id === id) void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
  return useQuery({
    ...query,
    refetchInterval: ({ state: { data } }) => (data === undefined || isEnded(data) ? false : POLL_MS),
  });
}

function RunDetail({ run }: { run: Run }) {
  return (
    <Stack gap="lg">
      <Paper withBorder radius="lg" p="lg">
        <Stack>
          <FactList facts={listFacts(run)} />
          <RunReason run={run} />
        </Stack>
      </Paper>
      <RunAttempts run={run} />
      <Tabs defaultValue="log" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="log">Log</Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="log" pt="md">
          <RunLog run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="md">
          <RunInput run={run} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** Why the run waits, failed or was cancelled, with what to do. */
function RunReason({ run: { error, waiting, attempts } }: { run: Run }) {
  if (waiting !== null) {
    const { reason_text, position } = waiting;
    return (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <UntrustedText text={reason_text} />
        {position !== null && ` Position in the queue: ${position}.`}
      </Text>
    );
  }
  if (error === null) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
      <UntrustedText text={attempts.at(-1)?.reason_text ?? error} />
    </Text>
  );
}

function listFacts(run: Run): [string, React.ReactNode][] {
  const { factory, delivery, delivery_id, webhook_uid, started_at, finished_at, revision, exit_code } = run;
  return [
    [
      'Automation',
      <ObjectLink key="automation" factory={factory} kind="automations" id={run.automation}>
        <UntrustedText text={run.automation} />
      </ObjectLink>,
    ],
    ['Attempt', run.attempt],
    [
      'Delivery',
      <ObjectLink key="delivery" factory={factory} kind="deliveries" id={delivery}>
        <UntrustedText text={delivery_id} />
      </ObjectLink>,
    ],
    ['Webhook', <WebhookLink key="webhook" factory={factory} uid={webhook_uid} />],
    ['Created', <TimeText key="created" at={run.created_at} />],
    ['Started', started_at === null ? null : <TimeText key="started" at={started_at} />],
    ['Finished', finished_at === null ? null : <TimeText key="finished" at={finished_at} />],
    ['Duration', finished_at === null ? null : <RunDuration key="duration" run={run} />],
    ['Executor', run.executor],
    ['Exit code', exit_code],
    ['Revision', revision === null ? null : <code key="revision">{revision.slice(0, 12)}</code>],
    ['Run ID', <code key="run">{run.id}</code>],
  ];
}

/** Shows the name of the webhook when it is loaded. */
function WebhookLink({ factory, uid }: { factory: string; uid: string }) {
  const { data } = useQuery(webhookQuery(factory, uid));
  return (
    <ObjectLink factory={factory} kind="webhooks" id={uid}>
      {data === undefined ? undefined : <UntrustedText text={data.webhook.name} />}
    </ObjectLink>
  );
}
