import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { changeWebhook } from '../../../api/webhook-edits.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { type EditDialogProps, useWebhookEdit } from './use-webhook-edit.ts';

/** Gives a webhook of a live factory another name. */
export function RenameWebhook({ tagged, opened, onClose }: EditDialogProps) {
  const [name, setName] = useState(tagged.webhook.name);
  const { mutate, isPending, error } = useWebhookEdit(tagged, () => changeWebhook(tagged, { name }), onClose);
  return (
    <ConfirmChange
      {...{ opened, onClose, isPending, error }}
      title="Rename this webhook?"
      effects={['Senders notice nothing: UID, URL and secret stay.', 'Automations that select it go on selecting it.']}
      action="Rename"
      onConfirm={() => mutate(undefined)}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoComplete="off"
        required
      />
    </ConfirmChange>
  );
}
