import { useLocation } from 'wouter';
import { deleteWebhook } from '../../../api/webhook-edits.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { type EditDialogProps, useWebhookEdit } from './use-webhook-edit.ts';

/** Deletes a webhook, after its name was typed. */
export function DeleteWebhook({ tagged, opened, onClose }: EditDialogProps) {
  const { name, factory, secret_name } = tagged.webhook;
  const [, navigate] = useLocation();
  const { mutate, isPending, error } = useWebhookEdit(
    tagged,
    () => deleteWebhook(tagged),
    () => navigate(`/factories/${encodeURIComponent(factory)}/webhooks`),
  );
  return (
    <ConfirmChange
      {...{ opened, onClose, isPending, error }}
      title="Delete this webhook?"
      effects={[
        'Senders get 404 at once.',
        'Automations that select it remain visible but stop firing from it.',
        'Its delivery log stays until retention ends it.',
        `The team secret ${secret_name} stays.`,
      ]}
      action="Delete webhook"
      isDangerous
      typeToConfirm={name}
      onConfirm={() => mutate(undefined)}
    />
  );
}
