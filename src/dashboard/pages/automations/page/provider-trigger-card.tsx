import { List, Paper, Text } from '@mantine/core';
import type { ProviderTrigger, Webhook } from '../../../../client/api-types.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { formatJson } from '../editor/automation-draft.ts';
import { WebhookLink } from './webhook-link.tsx';

interface ProviderTriggerCardProps {
  number: number;
  trigger: ProviderTrigger;
  webhooks: readonly Webhook[];
  factory: string;
}

/** A trigger of a provider: what the provider sends, which webhooks serve it, and why it cannot start. */
export function ProviderTriggerCard({ number, trigger, webhooks, factory }: ProviderTriggerCardProps) {
  const { service, listens_to: listensTo, filter = null } = trigger;
  const names = Object.entries(service.names);
  return (
    <Paper withBorder radius="lg" p="md">
      <Text size="sm" mb="xs">
        <UntrustedText text={service.trigger} />
        {listensTo.length > 0 && ' from '}
        {listensTo.map((uid, i) => (
          <span key={uid}>
            {i > 0 && ', '}
            <WebhookLink uid={uid} webhooks={webhooks} factory={factory} />
          </span>
        ))}
        {service.repositories !== null && (
          <>
            , for <UntrustedText text={service.repositories.join(', ') || 'no repository'} />
          </>
        )}
        .
      </Text>
      {service.reason !== null && (
        <Text size="sm" mb="xs" c="var(--mantine-color-error)">
          It cannot start here: <UntrustedText text={service.reason} />.
        </Text>
      )}
      {service.events.length > 0 && (
        <List size="sm" mb="xs">
          {service.events.map((event) => (
            <List.Item key={event}>
              <UntrustedText text={event} />
            </List.Item>
          ))}
        </List>
      )}
      {filter !== null && <CodeBlock code={formatJson(filter)} what={`filter of trigger ${number}`} />}
      {names.map(([name, ids]) => (
        <Text key={name} size="sm" mt="xs">
          The name <UntrustedText text={name} /> stands for <UntrustedText text={ids.join(', ')} />.
        </Text>
      ))}
    </Paper>
  );
}
