import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { cancelRun, isEnded, retryRun, runQuery } from '../../api/runs.ts';
import type { Run } from '../../api/types.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { useMay } from '../../shell/context/session-user.ts';

const CANCEL = {
  title: 'Cancel this run',
  action: 'Cancel run',
  change: cancelRun,
  effects: [
    'A queued run is taken back at once. A running one is told to stop, and ended by force 10 seconds later.',
    'What it has done so far stays done. The sender of its delivery notices nothing.',
  ],
};

const RETRY = {
  title: 'Retry this run',
  action: 'Retry run',
  change: retryRun,
  effects: [
    'The same run is carried out once more, as its next attempt, with the prompt and the payload that it was born with.',
    'What it prints is added to its log. To use the prompt and the filter of today, replay its delivery instead.',
  ],
};

/** What can be done with a run: take it back while it has not ended, carry it out once more afterwards. */
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
