import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { EyeOff } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NewWebhook } from '../../../client/api-types.ts';
import { buildSendingCommand } from '../../../domain/words/sending-commands.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { CopyLine } from '../../parts/copy/copy-line.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { useLeaveGuard } from '../../shell/context/leave-guard.tsx';

interface OneTimePaneProps {
  webhook: NewWebhook;
  title: string;
  onDone: () => void;
}

/** Shows the URL and the new secret of a webhook once. */
export function OneTimePane({ webhook, title, onDone }: OneTimePaneProps) {
  const { secret = null, ingress_url, auth_mode, secret_name } = webhook;
  const release = useLeaveGuard(secret !== null, 'one-time value');
  const finish = () => {
    release();
    onDone();
  };
  return (
    <SectionCard title={title}>
      <Stack maw={760}>
        {secret === null ? (
          <Text size="sm">
            The webhook uses the team secret {secret_name}, which is not shown. Give the sender this URL:
          </Text>
        ) : (
          <Alert color="orange" icon={<EyeOff />} title="Copy the secret now">
            The secret is shown only once. It is stored encrypted as {secret_name} and cannot be read again.
          </Alert>
        )}
        <Shown label="Ingress URL">
          <CopyLine value={ingress_url} what="ingress URL" />
          {auth_mode === 'url_token' && (
            <Text size="xs" c="dimmed" mt={4}>
              This URL is itself the credential. Anyone who has it can send deliveries.
            </Text>
          )}
        </Shown>
        {secret !== null && auth_mode !== 'url_token' && (
          <Shown label="Secret">
            <CopyLine value={secret} what="secret" />
          </Shown>
        )}
        <Shown label={auth_mode === 'signature' ? 'Send a test delivery' : 'Send a test delivery from a shell'}>
          <CodeBlock code={buildSendingCommand(webhook, secret)} what="command" wraps />
        </Shown>
        <Group justify="flex-end">
          <Button onClick={finish}>{secret === null ? 'Done' : 'I have copied it'}</Button>
        </Group>
      </Stack>
    </SectionCard>
  );
}

function Shown({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      {children}
    </div>
  );
}
