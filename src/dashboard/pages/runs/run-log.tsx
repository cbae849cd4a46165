import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Run } from '../../../client/api-types.ts';
import { isEnded, logHref } from '../../api/runs.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { LogView } from './log/log-view.tsx';
import { useRunLog } from './use-run-log.ts';

/** The output of a run, or of one attempt, updated while it runs. */
export function RunLog({ run }: { run: Run }) {
  const [attempt, setAttempt] = useState<number | null>(null);
  const known = run.attempts.filter(({ log_offset }) => log_offset !== null);
  return (
    <Stack gap="sm">
      {known.length > 1 && (
        <SegmentedControl
          aria-label="Output of"
          style={{ alignSelf: 'start' }}
          value={attempt === null ? 'all' : String(attempt)}
          onChange={(value) => setAttempt(value === 'all' ? null : Number(value))}
          data={[
            { value: 'all', label: 'All attempts' },
            ...known.map(({ number }) => ({ value: String(number), label: `Attempt ${number}` })),
          ]}
        />
      )}
      <AttemptLog key={attempt} run={run} attempt={attempt} />
    </Stack>
  );
}

function AttemptLog({ run, attempt }: { run: Run; attempt: number | null }) {
  const hasEnded = isEnded(run);
  const { blocks, times, isRead, error, retry } = useRunLog({ id: run.id, attempt }, hasEnded);
  if (!isRead) return <Skeleton height={200} />;
  return (
    <Stack gap="sm">
      {error !== null && <ErrorPanel error={error} onRetry={retry} />}
      {blocks.length === 0 ? (
        <Text c="dimmed" size="sm">
          {hasEnded ? 'No output.' : 'No output yet. It appears here while the run executes.'}
        </Text>
      ) : (
        <LogView blocks={blocks} times={times} href={logHref({ id: run.id, attempt })} />
      )}
    </Stack>
  );
}
