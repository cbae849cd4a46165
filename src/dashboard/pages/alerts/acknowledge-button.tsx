import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alert } from '../../../client/api-types.ts';
import { ALL_ALERTS, acknowledgeAlert } from '../../api/alerts.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { useMay } from '../../shell/context/session-user.ts';

const MAX_NOTE = 500;

/** Acknowledges an open alert, with a note. Hidden from users who may not. */
export function AcknowledgeButton({ alert }: { alert: Alert }) {
  const [isAsked, setAsked] = useState(false);
  const [note, setNote] = useState('');
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => acknowledgeAlert(alert.id, note.trim()),
    onSuccess: async () => {
      setAsked(false);
      await queryClient.invalidateQueries(ALL_ALERTS);
    },
  });
  if (!useMay('operator') || alert.state !== 'open') return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={`Acknowledge ${alert.title}: ${alert.object?.name ?? alert.factory ?? 'installation'}`}
        onClick={() => setAsked(true)}
      >
        Acknowledge
      </Button>
      <ConfirmChange
        opened={isAsked}
        isPending={isPending}
        error={error}
        title="Acknowledge this alert"
        action="Acknowledge"
        effects={[
          'Messages about it are not repeated.',
          'It is resolved when its cause has ended.',
          'Others see that you take care of it.',
        ]}
        onClose={() => setAsked(false)}
        onConfirm={() => mutate()}
      >
        <TextInput
          label="Note"
          description="Optional. Shown to others."
          value={note}
          maxLength={MAX_NOTE}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </ConfirmChange>
    </>
  );
}
