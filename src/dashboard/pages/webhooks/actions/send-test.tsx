import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { Webhook } from '../../../../client/api-types.ts';
import { readAnswer } from '../../../../client/read-answer.ts';
import { api } from '../../../api/client.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { useMay } from '../../../shell/context/session-user.ts';

const EXAMPLE = '{\n  "hello": "dockbell"\n}';

/** Sends a delivery from the daemon in the format of a real sender. The secret does not leave the daemon. */
export function SendTest({ webhook }: { webhook: Webhook }) {
  const [opened, setOpened] = useState(false);
  const [payload, setPayload] = useState(EXAMPLE);
  const queryClient = useQueryClient();
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => {
      const params = { path: { factory: webhook.factory, uid: webhook.uid } };
      const body = { payload_base64: encode(payload), delivery_id: `test-${Date.now()}` };
      return readAnswer(api.POST('/api/v1/factories/{factory}/webhooks/{uid}/test-deliveries', { params, body }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['factory', webhook.factory] }),
  });
  const may = useMay('operator');
  if (!may) return null;
  return (
    <>
      <Button variant="default" leftSection={<Send size={16} aria-hidden />} onClick={() => setOpened(true)}>
        Send test delivery
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Send test delivery" size="lg" centered>
        <Stack>
          <Text size="sm" c="dimmed">
            A test delivery is logged like any other delivery. Automations that match it start runs.
          </Text>
          <Textarea
            label="Body"
            value={payload}
            onChange={(event) => setPayload(event.currentTarget.value)}
            autosize
            minRows={5}
            maxRows={16}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
          {error !== null && <ErrorPanel error={error} />}
          {data !== undefined && <CodeBlock code={`HTTP ${data.status}\n${data.body}`} what="response" />}
          <Group justify="flex-end">
            <Button loading={isPending} onClick={() => mutate()}>
              Send
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Base64 of the text in UTF-8. */
function encode(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
