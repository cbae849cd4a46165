import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { RetrySummary } from '../../../client/retry-runs.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { type RunFilter, retryableCountQuery, retryMatchingRuns } from '../../api/runs.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { useMay } from '../../shell/context/session-user.ts';
import { isRetryable } from './run-filter.ts';

/** Retries all runs of a filter that selects only runs that have ended. */
export function RetryMatching({ factory, filter }: { factory: string; filter: RunFilter }) {
  const [isAsking, setIsAsking] = useState(false);
  const queryClient = useQueryClient();
  const { data: count, error } = useQuery({ ...retryableCountQuery(factory, filter), enabled: isAsking });
  const mutation = useMutation({
    mutationFn: () => retryMatchingRuns(factory, filter),
    onSuccess: (summary) => {
      setIsAsking(false);
      notifications.show(describeResult(summary));
    },
    // After a failure too: the runs of earlier requests are queued again.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['factory', factory, 'runs'] }),
  });
  if (!useMay('operator') || !isRetryable(filter)) return null;
  return (
    <>
      <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
        Retry all that match
      </Button>
      <ConfirmChange
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Retry all matching runs"
        effects={listEffects(count)}
        action={count === undefined ? 'Retry runs' : `Retry ${describeCount(count)}`}
        onConfirm={() => mutation.mutate()}
        isPending={mutation.isPending}
        isBlocked={count === undefined || count === 0}
        error={mutation.error}
      >
        {error !== null && <ErrorPanel error={error} />}
      </ConfirmChange>
    </>
  );
}

function listEffects(count: number | undefined): string[] {
  if (count === undefined) return ['The matching runs are being counted.'];
  if (count === 0) return ['No runs match, so nothing is retried.'];
  return [
    `${describeCount(count)} ${count === 1 ? 'is' : 'are'} executed again as the next attempt, with the original prompt and payload.`,
    'Retried runs wait in the queue, and runs.concurrency limits the number of runs at the same time.',
  ];
}

function describeResult({ retried, rejected }: RetrySummary): Parameters<typeof notifications.show>[0] {
  const message = `${describeCount(retried)} queued again.`;
  if (rejected.length === 0) return { title: 'Runs retried', message };
  const reasons = [...new Set(rejected.map(({ reason_text }) => escapeText(reason_text)))].join(' ');
  return {
    color: 'yellow',
    title: retried === 0 ? 'No run retried' : 'Some runs were not retried',
    message: `${message} ${describeCount(rejected.length)} not retried. ${reasons}`,
    autoClose: false,
  };
}

function describeCount(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'run' : 'runs'}`;
}
