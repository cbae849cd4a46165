import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { changeWebhook, deleteWebhook } from '../../../api/webhook-edits.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { factoryPath } from '../../../paths.ts';
import { type EditDialogProps, useWebhookEdit } from './use-webhook-edit.ts';

/** Enables or disables a webhook. */
export function ToggleWebhook({ tagged, opened, onClose }: EditDialogProps) {
  const { enabled, secret_name } = tagged.webhook;
  const { mutate, isPending, error } = useWebhookEdit(
    tagged,
    () => changeWebhook(tagged, { enabled: !enabled }),
    onClose,
  );
  const effects = enabled
    ? [
        'Senders get 404 immediately, as if the URL did not exist.',
        'Deliveries sent in the meantime are lost unless the sender retries them.',
        'Automations and the delivery log are not affected.',
      ]
    : ['Deliveries are accepted again immediately.', `The webhook switches to the latest value of ${secret_name}.`];
  return (
    <ConfirmChange
      opened={opened}
      onClose={onClose}
      effects={effects}
      isPending={isPending}
      error={error}
      title={enabled ? 'Disable this webhook' : 'Enable this webhook'}
      action={enabled ? 'Disable' : 'Enable'}
      isDangerous={enabled}
      onConfirm={() => mutate(undefined)}
    />
  );
}

/** Renames a webhook of a live factory. */
export function RenameWebhook({ tagged, opened, onClose }: EditDialogProps) {
  const [name, setName] = useState(tagged.webhook.name);
  const { mutate, isPending, error } = useWebhookEdit(tagged, () => changeWebhook(tagged, { name }), onClose);
  return (
    <ConfirmChange
      opened={opened}
      onClose={onClose}
      isPending={isPending}
      error={error}
      title="Rename this webhook"
      effects={[
        'Senders are not affected: UID, URL and secret stay the same.',
        'Automations that use the webhook keep using it.',
      ]}
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

/** Deletes a webhook after the user typed its name. */
export function DeleteWebhook({ tagged, opened, onClose }: EditDialogProps) {
  const { name, factory, secret_name } = tagged.webhook;
  const [, navigate] = useLocation();
  const { mutate, isPending, error } = useWebhookEdit(
    tagged,
    () => deleteWebhook(tagged),
    () => navigate(factoryPath(factory, 'webhooks')),
  );
  return (
    <ConfirmChange
      opened={opened}
      onClose={onClose}
      isPending={isPending}
      error={error}
      title="Delete this webhook"
      effects={[
        'Senders get 404 immediately.',
        'Automations that select it remain visible but stop firing from it.',
        'Its delivery log is kept until retention removes it.',
        `The team secret ${secret_name} is kept.`,
      ]}
      action="Delete webhook"
      isDangerous
      typeToConfirm={name}
      onConfirm={() => mutate(undefined)}
    />
  );
}
