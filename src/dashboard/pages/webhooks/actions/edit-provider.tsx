import { useForm } from '@mantine/form';
import { changeWebhook } from '../../../api/webhook-edits.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import {
  PROVIDER_CHECKS,
  ProviderFields,
  type ProviderInputs,
  readProviderInputs,
  toProviderInputs,
} from '../provider/provider-fields.tsx';
import { type EditDialogProps, useWebhookEdit } from './use-webhook-edit.ts';

/** Edits what a webhook serves, and names and accounts at the provider. */
export function EditProvider({ tagged, opened, onClose }: EditDialogProps) {
  const form = useForm<ProviderInputs>({
    initialValues: toProviderInputs(tagged.webhook),
    validate: PROVIDER_CHECKS,
  });
  const { mutate, isPending, error } = useWebhookEdit(
    tagged,
    () => changeWebhook(tagged, readProviderInputs(form.values)),
    onClose,
  );
  return (
    <ConfirmChange
      opened={opened}
      onClose={() => {
        form.reset();
        onClose();
      }}
      isPending={isPending}
      error={error}
      title="Provider triggers"
      effects={[
        'Senders are not affected: UID, URL and secret stay the same.',
        'A webhook that serves a provider accepts more deliveries per minute.',
      ]}
      action="Save"
      onConfirm={() => {
        if (!form.validate().hasErrors) mutate(undefined);
      }}
    >
      <ProviderFields form={form} />
    </ConfirmChange>
  );
}
