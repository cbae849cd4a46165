import { Stack, Text } from '@mantine/core';
import { Inbox } from 'lucide-react';
import type { Webhook } from '../../api/types.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { buildCurl, buildSend } from './first-commands.ts';

/** In the place of the log of a webhook that has not heard anything: how to send it something. */
export function FirstDelivery({ webhook }: { webhook: Webhook }) {
  const curl = buildCurl(webhook);
  return (
    <EmptyState icon={Inbox} title="Nothing has arrived yet">
      <Stack ta="start">
        <Text>Have the sender post to this webhook, or try it yourself. Its first delivery appears here at once.</Text>
        <CodeBlock what="send command" code={buildSend(webhook)} />
        {curl !== null && (
          <>
            <Text>The same without Dockbell’s command line; put the secret in first:</Text>
            <CodeBlock what="curl command" code={curl} />
          </>
        )}
      </Stack>
    </EmptyState>
  );
}
