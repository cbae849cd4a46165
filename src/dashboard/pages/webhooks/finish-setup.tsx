import { Alert, Button, Group, List, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Webhook } from '../../../client/api-types.ts';
import { signatureSchemesQuery } from '../../api/queries.ts';
import { giveSecret } from '../../api/webhook-edits.ts';
import { CopyLine } from '../../parts/copy/copy-line.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';

interface FinishSetupProps {
  webhook: Webhook;
  onFinished: () => void;
  /** Omitted on the page of the webhook itself. */
  onLater?: () => void;
}

/** The second setup step for a provider that issues its secret after it has the URL. */
export function FinishSetup({ webhook, onFinished, onLater }: FinishSetupProps) {
  const [secret, setSecret] = useState('');
  const queryClient = useQueryClient();
  const { data: schemes } = useQuery(signatureSchemesQuery);
  const provider = schemes?.find(({ name }) => name === webhook.signature_scheme)?.title ?? 'the provider';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => giveSecret(webhook, secret.trim()),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['factory', webhook.factory] });
      onFinished();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <SectionCard title="Finish webhook setup">
      <form onSubmit={submit}>
        <Stack maw={760}>
          <Alert color="orange" icon={<Hourglass />} title={`Waiting for the secret from ${provider}`}>
            Until you enter the secret, the webhook is disabled and senders get 404.
          </Alert>
          <List type="ordered" size="sm" spacing="xs">
            <List.Item>Enter this URL at {provider}:</List.Item>
          </List>
          <CopyLine value={webhook.ingress_url} what="ingress URL" />
          <List type="ordered" size="sm" start={2}>
            <List.Item>Paste the signing secret that {provider} shows:</List.Item>
          </List>
          <PasswordInput
            label="Signing secret"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            autoComplete="off"
            required
          />
          {error !== null && <ErrorPanel error={error} />}
          <Group justify="flex-end">
            {onLater !== undefined && (
              <Button variant="default" onClick={onLater}>
                Finish later
              </Button>
            )}
            <Button type="submit" loading={isPending} disabled={secret.trim() === ''}>
              Save secret and enable
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
