import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { Run } from '../../../client/api-types.ts';
import { cancelRun, isEnded, retryRun, runQuery } from '../../api/runs.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { useMay } from '../../shell/context/session-user.ts';

const CANCEL = {
  title: 'Cancel this run',
  action: 'Cancel run',
  change: cancelRun,
  effects: [
    'A queued run is cancelled immediately. A running one is asked to stop, and killed after 10 seconds.',
    'Changes that the run already made are not undone. The sender is not affected.',
  ],
};

const RETRY = {
  title: 'Retry this run',
  action: 'Retry run',
  change: retryRun,
  effects: [
    'The run is executed again as its next attempt, with its original prompt and payload.',
    'Its output is appended to the log. To use the current prompt and filter, replay the delivery instead.',
  ],
};

/** Cancels a run that has not finished, or retries one that has. */
export function RunActions({ run }: { run: Run }) {
  const [isAsking, setIsAsking] = useState(false);
  const queryClient = useQueryClient();
  const { title, action, change, effects } = isEnded(run) ? RETRY : CANCEL;
  const mutation = useMutation({
    mutationFn: () => change(run.id),
    onSuccess: (changed) => {
      setIsAsking(false);
      queryClient.setQueryData(runQuery(run.factory, run.id).queryKey, changed);
    },
  });
  if (!useMay('operator')) return null;
  const Icon = isEnded(run) ? RotateCcw : Ban;
  return (
    <>
      <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
        {action}
      </Button>
      <ConfirmChange
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={title}
        effects={effects}
        action={action}
        isDangerous={!isEnded(run)}
        onConfirm={() => mutation.mutate()}
        isPending={mutation.isPending}
        error={mutation.error}
      />
    </>
  );
}
