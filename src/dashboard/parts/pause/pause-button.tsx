import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pause as PauseIcon, Play } from 'lucide-react';
import { useState } from 'react';
import type { Pause } from '../../../client/api-types.ts';
import { type PauseTarget, pauseRuns, resumeRuns } from '../../api/pauses.ts';
import { factoriesQuery } from '../../api/queries.ts';
import { useMay } from '../../shell/context/session-user.ts';
import { ConfirmChange } from '../dialog/confirm-change.tsx';

const MAX_REASON = 500;

/** Pauses or resumes a factory or an automation, after a confirmation. Hidden from users who may not. */
export function PauseButton({ target, pause }: { target: PauseTarget; pause: Pause | null }) {
  const [isAsked, setAsked] = useState(false);
  if (!useMay('operator')) return null;
  const isPaused = pause !== null;
  return (
    <>
      <Button
        variant="default"
        leftSection={isPaused ? <Play size={15} /> : <PauseIcon size={15} />}
        onClick={() => setAsked(true)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <PauseDialog target={target} isPaused={isPaused} opened={isAsked} onClose={() => setAsked(false)} />
    </>
  );
}

interface PauseDialogProps {
  target: PauseTarget;
  isPaused: boolean;
  opened: boolean;
  onClose: () => void;
}

function PauseDialog({ target, isPaused, opened, onClose }: PauseDialogProps) {
  const [reason, setReason] = useState('');
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => (isPaused ? resumeRuns(target) : pauseRuns(target, reason.trim())),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['factory', target.factory] }),
        queryClient.invalidateQueries(factoriesQuery),
      ]);
      setReason('');
      onClose();
    },
  });
  const what = target.automation === null ? 'factory' : 'automation';
  const effects = isPaused
    ? ['The runs that wait start, the oldest first.']
    : ['No further run starts.', 'Deliveries are accepted, and their runs wait.', 'Running runs continue.'];
  return (
    <ConfirmChange
      opened={opened}
      isPending={isPending}
      error={error}
      effects={effects}
      onClose={onClose}
      title={isPaused ? `Resume this ${what}` : `Pause this ${what}`}
      action={isPaused ? 'Resume' : 'Pause'}
      onConfirm={() => mutate()}
    >
      {!isPaused && (
        <TextInput
          label="Reason"
          description="Optional. Shown with each run that waits for it."
          value={reason}
          maxLength={MAX_REASON}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
    </ConfirmChange>
  );
}
