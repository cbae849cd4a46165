import { changeWebhook } from '../../../api/webhook-edits.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { type EditDialogProps, useWebhookEdit } from './use-webhook-edit.ts';

/** Turns a webhook off or on. */
export function ToggleWebhook({ tagged, opened, onClose }: EditDialogProps) {
  const { enabled, secret_name } = tagged.webhook;
  const { mutate, isPending, error } = useWebhookEdit(
    tagged,
    () => changeWebhook(tagged, { enabled: !enabled }),
    onClose,
  );
  const effects = enabled
    ? [
        'Senders get 404 at once, as if the URL did not exist.',
        'What they send meanwhile is lost, unless they send it again later.',
        'Automations and the delivery log are untouched.',
      ]
    : ['Deliveries are accepted again at once.', `It switches to the newest value of ${secret_name}.`];
  return (
    <ConfirmChange
      {...{ opened, onClose, effects, isPending, error }}
      title={enabled ? 'Disable this webhook?' : 'Enable this webhook?'}
      action={enabled ? 'Disable' : 'Enable'}
      isDangerous={enabled}
      onConfirm={() => mutate(undefined)}
    />
  );
}
