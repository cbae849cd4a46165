import { Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Secret } from '../../../client/api-types.ts';
import { deleteSecret, secretsQuery } from '../../api/secrets.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { describeDeletion } from './describe-secret.ts';

/** Deletes a secret. The daemon rejects it while the secret is in use, unless the user confirms with a checkbox. */
export function DeleteSecret({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const { name, used_by, listed_by, notify } = secret;
  const [force, setForce] = useState(false);
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: deleteSecret,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: secretsQuery.queryKey });
      notifications.show({ message: `Secret ${name} deleted.` });
      onClose();
    },
  });
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Delete ${name}`}
      effects={describeDeletion(secret)}
      action="Delete secret"
      isDangerous
      onConfirm={() => mutate({ name, force })}
      isPending={isPending}
      error={error}
    >
      {used_by.length + listed_by.length + notify.length > 0 && (
        <Checkbox
          label="Delete even though it is in use"
          description="Required while a webhook, an automation or a notification target uses the secret."
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
      )}
    </ConfirmChange>
  );
}
