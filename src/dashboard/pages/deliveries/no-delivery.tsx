import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { Inbox, SearchX, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '../../../client/api-types.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { buildSendCommand, buildTokenCurl } from '../../../domain/words/sending-commands.ts';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { factoryPath } from '../../paths.ts';
import { NO_FILTER } from './delivery-filter.ts';

interface NoDeliveryProps {
  factory: string;
  webhooks: readonly Webhook[];
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}

/** Empty state of the delivery log, with the next step. */
export function NoDelivery({ factory, webhooks, filter, onChange }: NoDeliveryProps) {
  const { webhook, ...rest } = filter;
  const isNarrowed = Object.values(rest).some((part) => part !== null);
  const selected = webhooks.filter(({ uid }) => webhook === null || uid === webhook);
  if (isNarrowed || (webhook !== null && selected.length === 0)) return <NoMatch filter={filter} onChange={onChange} />;
  return selected.length === 0 ? <NoWebhook factory={factory} /> : <FirstDelivery webhooks={selected} />;
}

function NoWebhook({ factory }: { factory: string }) {
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhooks yet"
      action={
        <Button component={Link} href={factoryPath(factory, 'webhooks')}>
          View webhooks
        </Button>
      }
    >
      Add a webhook and give its URL to a sender. Its deliveries appear here.
    </EmptyState>
  );
}

/** How to send the first delivery to a webhook. */
function FirstDelivery({ webhooks }: { webhooks: readonly Webhook[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const webhook = webhooks.find(({ uid }) => uid === chosen) ?? webhooks.find(({ enabled }) => enabled) ?? webhooks[0]!;
  return (
    <EmptyState icon={Inbox} title="No deliveries yet">
      <Stack ta="start">
        <Text>Configure the sender to post to the webhook, or send a test delivery yourself.</Text>
        {webhooks.length > 1 && (
          <Select
            label="Send to webhook"
            data={webhooks.map(({ uid, name }) => ({ value: uid, label: escapeText(name) }))}
            value={webhook.uid}
            onChange={setChosen}
            allowDeselect={false}
          />
        )}
        {webhook.enabled ? <SendCommands webhook={webhook} /> : <DisabledNote webhook={webhook} />}
      </Stack>
    </EmptyState>
  );
}

function SendCommands({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <CodeBlock what="send command" code={buildSendCommand(webhook)} wraps />
      {webhook.auth_mode !== 'signature' && (
        <>
          <Text>Or use curl. Set {webhook.secret_name} in the shell first:</Text>
          <CodeBlock what="curl command" code={buildTokenCurl(webhook, null)} wraps />
        </>
      )}
    </>
  );
}

function DisabledNote({ webhook: { factory, uid } }: { webhook: Webhook }) {
  return (
    <Text>
      This webhook is disabled. Senders get 404.{' '}
      <ObjectLink factory={factory} kind="webhooks" id={uid}>
        View webhook
      </ObjectLink>
    </Text>
  );
}

const CLEAR_LABELS: Readonly<Record<keyof DeliveryFilter, string>> = {
  deliveryId: 'Any delivery ID',
  event: 'Any event',
  label: 'Any label',
  text: 'Any payload and headers',
  time: 'Any time',
  unmatched: 'With or without runs',
  webhook: 'All webhooks',
};

/** No delivery matches the filter. Offers to remove each part of it. */
function NoMatch({ filter, onChange }: Pick<NoDeliveryProps, 'filter' | 'onChange'>) {
  const keys = (Object.keys(CLEAR_LABELS) as (keyof DeliveryFilter)[]).filter((key) => filter[key] !== null);
  return (
    <EmptyState
      icon={SearchX}
      title="No matching deliveries"
      action={
        <Group gap="xs" justify="center">
          {keys.map((key) => (
            <Button key={key} variant="default" onClick={() => onChange({ ...filter, [key]: null })}>
              {CLEAR_LABELS[key]}
            </Button>
          ))}
          {keys.length > 1 && (
            <Button variant="subtle" onClick={() => onChange(NO_FILTER)}>
              All deliveries
            </Button>
          )}
        </Group>
      }
    >
      {filter.deliveryId !== null ? 'Enter the full delivery ID, exactly as the sender wrote it. ' : ''}
      Deliveries older than the retention period are deleted. Clear a filter:
    </EmptyState>
  );
}
