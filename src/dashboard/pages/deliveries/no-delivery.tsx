import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { Inbox, SearchX, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { escapeText } from '../../../words/escape-text.ts';
import { buildSendCommand, buildTokenCurl } from '../../../words/sending-commands.ts';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import type { Webhook } from '../../api/types.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { NO_FILTER } from './delivery-filter.ts';

interface NoDeliveryProps {
  factory: string;
  webhooks: readonly Webhook[];
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}

/** In the place of the log where it has no row: the next step to one. */
export function NoDelivery({ factory, webhooks, filter, onChange }: NoDeliveryProps) {
  const { webhook, ...rest } = filter;
  const isNarrowed = Object.values(rest).some((part) => part !== null);
  const meant = webhooks.filter(({ uid }) => webhook === null || uid === webhook);
  if (isNarrowed || (webhook !== null && meant.length === 0)) return <NoHit filter={filter} onChange={onChange} />;
  return meant.length === 0 ? <NoWebhook factory={factory} /> : <FirstDelivery webhooks={meant} />;
}

function NoWebhook({ factory }: { factory: string }) {
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhook yet"
      action={
        <Button component={Link} href={`/factories/${encodeURIComponent(factory)}/webhooks`}>
          To the webhooks
        </Button>
      }
    >
      Deliveries are what senders post to a webhook. Add one, give its URL to a sender, and each delivery appears here.
    </EmptyState>
  );
}

/** How to send something to a webhook that has not heard anything. */
function FirstDelivery({ webhooks }: { webhooks: readonly Webhook[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const webhook = webhooks.find(({ uid }) => uid === chosen) ?? webhooks.find(({ enabled }) => enabled) ?? webhooks[0]!;
  return (
    <EmptyState icon={Inbox} title="Nothing has arrived yet">
      <Stack ta="start">
        <Text>Have the sender post to the webhook, or try it yourself. The first delivery appears here at once.</Text>
        {webhooks.length > 1 && (
          <Select
            label="Webhook to try"
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
      <CodeBlock what="send command" code={buildSendCommand(webhook)} />
      {webhook.auth_mode !== 'signature' && (
        <>
          <Text>The same without Dockbell’s command line, with the value of {webhook.secret_name} in the shell:</Text>
          <CodeBlock what="curl command" code={buildTokenCurl(webhook, null)} />
        </>
      )}
    </>
  );
}

function DisabledNote({ webhook: { factory, uid } }: { webhook: Webhook }) {
  return (
    <Text>
      This webhook is disabled: senders get 404.{' '}
      <ObjectLink factory={factory} kind="webhooks" id={uid}>
        See what it waits for
      </ObjectLink>
    </Text>
  );
}

const RELAX_WORDS: Readonly<Record<keyof DeliveryFilter, string>> = {
  deliveryId: 'Any delivery ID',
  label: 'Any label',
  time: 'Any time',
  webhook: 'All webhooks',
};

/** The filter lets nothing through: each of its parts can be given up. */
function NoHit({ filter, onChange }: Pick<NoDeliveryProps, 'filter' | 'onChange'>) {
  const keys = (Object.keys(RELAX_WORDS) as (keyof DeliveryFilter)[]).filter((key) => filter[key] !== null);
  return (
    <EmptyState
      icon={SearchX}
      title="No matching deliveries"
      action={
        <Group gap="xs" justify="center">
          {keys.map((key) => (
            <Button key={key} variant="default" onClick={() => onChange({ ...filter, [key]: null })}>
              {RELAX_WORDS[key]}
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
      {filter.deliveryId !== null ? 'The search needs the full delivery ID, exactly as the sender wrote it. ' : ''}
      Deliveries older than the retention period are deleted. Clear a filter:
    </EmptyState>
  );
}
