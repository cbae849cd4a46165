import { Skeleton, Stack, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from 'wouter';
import type { Run } from '../../../client/api-types.ts';
import { isEnded, runQuery } from '../../api/runs.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';
import { StoryPanel } from '../../parts/story/story-panel.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { RunActions } from './run-actions.tsx';
import { RunAttempts } from './run-attempts.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunInput } from './run-input.tsx';
import { RunLog } from './run-log.tsx';
import { RunPosts } from './run-posts.tsx';
import { RunResult } from './run-result.tsx';

/** One run: its story, result, log and input. */
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
      <StoryPanel factory={run.factory} reference={run.id} watched={[run.id]} />
      <RunFacts run={run} />
      <RunResult run={run} />
      <RunPosts run={run} />
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
