import { Stack, Text } from '@mantine/core';
import type { Delivery } from '../../../client/api-types.ts';
import { describeIdentitySource, IDENTITY_SOURCE_WORDS, isTickSource } from '../../../domain/words/deliveries.ts';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { formatBodySize } from '../../parts/text/format-body-size.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { ExactTime } from '../../parts/time/time-text.tsx';
import { DeliveryDecisions } from './delivery-decisions.tsx';
import { DeliveryPayload } from './delivery-payload.tsx';
import { DeliveryRejection } from './delivery-rejection.tsx';
import { DeliverySource } from './delivery-source.tsx';

/** Whether something about the delivery is stored in addition to its story. */
export function hasContents({ label }: Delivery): boolean {
  return label !== 'Duplicate';
}

/** The payload of an accepted delivery, or the diagnosis of a rejected one. */
export function DeliveryContents({ delivery }: { delivery: Delivery }) {
  return delivery.label === 'Accepted' ? (
    <DeliveryPayload delivery={delivery} />
  ) : (
    <DeliveryRejection delivery={delivery} />
  );
}

/** All details of one delivery, shown below its row. */
export function DeliveryDetail({ delivery }: { delivery: Delivery }) {
  return (
    <Stack gap="lg">
      <FactList facts={listFacts(delivery)} />
      {delivery.label === 'Accepted' ? (
        <>
          <DeliveryDecisions delivery={delivery} />
          <DeliveryPayload delivery={delivery} />
        </>
      ) : delivery.label === 'Duplicate' ? (
        <DuplicateNote delivery={delivery} />
      ) : (
        <DeliveryRejection delivery={delivery} />
      )}
    </Stack>
  );
}

function listFacts(delivery: Delivery): [string, React.ReactNode][] {
  const { factory, delivery_id, delivery_id_source, replay_of, replay, revision } = delivery;
  const isTick = isTickSource(delivery.webhook_name);
  return [
    ['Webhook', isTick ? null : <DeliverySource key="webhook" delivery={delivery} />],
    ['Received', <ExactTime key="received" at={delivery.received_at} />],
    ['Event', delivery.event === null ? null : <UntrustedText key="event" text={delivery.event} />],
    ['Summary', delivery.summary === null ? null : <UntrustedText key="summary" text={delivery.summary} />],
    ['Delivery ID', delivery_id === null ? null : <UntrustedText key="id" text={delivery_id} />],
    ['ID source', isTick ? null : describeIdentitySource(delivery_id_source, delivery.deduplicated)],
    ['IP address', isTick ? null : <UntrustedText key="address" text={delivery.client_address} />],
    ['Size', formatBodySize(delivery)],
    ['Requests', delivery.count > 1 ? `${delivery.count}, summarized` : null],
    [
      'Replay of',
      replay_of === null ? null : <ObjectLink key="replay" factory={factory} kind="deliveries" id={replay_of} />,
    ],
    ['Replay', replay === null ? null : <ObjectLink key="whole" factory={factory} kind="replays" id={replay} />],
    ['Request headers', delivery.headers === null ? null : <HeaderList key="headers" headers={delivery.headers} />],
    ['Revision', revision === null ? null : <code key="revision">{revision.slice(0, 12)}</code>],
    ['Internal ID', <code key="internal">{delivery.id}</code>],
  ];
}

function HeaderList({ headers }: { headers: NonNullable<Delivery['headers']> }) {
  return (
    <Stack gap={2}>
      {Object.entries(headers).map(([name, value]) => (
        <Text key={name} size="sm">
          <UntrustedText text={`${name}: ${value}`} />
        </Text>
      ))}
    </Stack>
  );
}

function DuplicateNote({ delivery }: { delivery: Delivery }) {
  const { factory, duplicate_of, reason_text, delivery_id_source } = delivery;
  return (
    <Stack gap={4}>
      <Text size="sm">
        <UntrustedText text={reason_text ?? 'No reason was logged.'} />
      </Text>
      <Text size="sm">
        First delivery:{' '}
        {duplicate_of === null ? (
          'no longer stored'
        ) : (
          <ObjectLink factory={factory} kind="deliveries" id={duplicate_of} />
        )}
        .{delivery_id_source !== null && ` Both have the same identity: ${IDENTITY_SOURCE_WORDS[delivery_id_source]}.`}{' '}
        A duplicate starts no runs, and its body is not stored.
      </Text>
    </Stack>
  );
}
