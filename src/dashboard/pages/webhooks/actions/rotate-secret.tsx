import { Button, Code, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { NewWebhook } from '../../../../client/api-types.ts';
import { rotateSecret } from '../../../api/webhook-edits.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { type EditDialogProps, useWebhookEdit } from './use-webhook-edit.ts';

interface RotateSecretProps extends EditDialogProps {
  /** Whether the factory is live. In other factories a rotation is an update of the team secret. */
  isLive: boolean;
  onRotated: (webhook: NewWebhook) => void;
}

/** Replaces the secret of a webhook. The old secret stops working immediately. */
export function RotateSecret({ isLive, ...props }: RotateSecretProps) {
  return isLive ? <RotateLive {...props} /> : <RotateByUpdate {...props} />;
}

const NO_OVERLAP = 'The old secret stops working immediately: senders get 401 until they have the new one.';
const ROLLOVER = 'To rotate without downtime, add a second webhook, move the sender to it, then delete this one.';

function RotateLive({ tagged, opened, onClose, onRotated }: Omit<RotateSecretProps, 'isLive'>) {
  const [secret, setSecret] = useState('');
  const { auth_mode, signature_scheme } = tagged.webhook;
  const isGiven = auth_mode === 'signature' && signature_scheme !== 'standard_webhooks';
  const { mutate, isPending, error } = useWebhookEdit(
    tagged,
    () => rotateSecret(tagged, secret === '' ? undefined : secret),
    (rotated) => {
      setSecret('');
      onClose();
      onRotated(rotated);
    },
  );
  const shown = isGiven ? [] : ['A new secret is generated and shown once.'];
  return (
    <ConfirmChange
      opened={opened}
      onClose={onClose}
      isPending={isPending}
      error={error}
      title="Rotate secret"
      effects={[NO_OVERLAP, ...shown, ROLLOVER]}
      action="Rotate secret"
      isDangerous
      onConfirm={() => mutate(undefined)}
    >
      {isGiven && (
        <PasswordInput
          label="New signing secret"
          description="The value that the provider issued."
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
          autoComplete="off"
          required
        />
      )}
    </ConfirmChange>
  );
}

function RotateByUpdate({ tagged, opened, onClose }: EditDialogProps) {
  const { secret_name } = tagged.webhook;
  return (
    <Modal opened={opened} onClose={onClose} title="Rotate secret" centered>
      <Stack>
        <Text size="sm">
          To rotate the secret of this webhook, store a new value of the team secret <Code>{secret_name}</Code>:
        </Text>
        <CodeBlock code={`dockbell secret update --team ${secret_name}`} what="command for the new value" />
        <Text size="sm">
          The webhook keeps the old value until its definition is applied again. To switch immediately, disable and
          enable the webhook here. {NO_OVERLAP}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
