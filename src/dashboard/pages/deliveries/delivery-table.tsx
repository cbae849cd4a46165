import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Delivery, Webhook } from '../../../client/api-types.ts';
import { isTickSource, NO_LABEL } from '../../../domain/words/deliveries.ts';
import { type DeliveryFilter, deliveriesQuery } from '../../api/deliveries.ts';
import { webhookQuery } from '../../api/queries.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { PAGE_ROWS } from '../../parts/live/log-page.ts';
import { useLiveRows } from '../../parts/live/use-live-rows.ts';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { DetailToggle } from '../../parts/table/detail-toggle.tsx';
import { useCursorPages, useOpenRow } from '../../parts/table/use-cursor-pages.ts';
import { formatBodySize } from '../../parts/text/format-body-size.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { objectPath } from '../../paths.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { letsThrough } from './delivery-filter.ts';
import { DeliverySource } from './delivery-source.tsx';
import { NoDelivery } from './no-delivery.tsx';
import { ReplayDelivery } from './replay-delivery.tsx';

interface DeliveryTableProps {
  factory: string;
  /** All webhooks that are not deleted. */
  webhooks: readonly Webhook[];
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}

export function DeliveryTable({ factory, webhooks, filter, onChange }: DeliveryTableProps) {
  const pages = useCursorPages();
  const isOfOneWebhook = filter.webhook !== null;
  const [openId, toggle] = useOpenRow();
  const query = deliveriesQuery(factory, filter, pages.cursor);
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...query, placeholderData: keepPreviousData });
  const held = useLiveRows({
    queryKey: query.queryKey,
    limit: PAGE_ROWS,
    rowOf: ({ type, data: event }) => (type === 'delivery' && event.factory === factory ? event : null),
    takes: (delivery) => pages.isNewest && letsThrough(filter, delivery),
    isReading: data?.data.some(({ id }) => id === openId) === true,
  });
  const columns = useMemo(() => {
    const name = buildNameColumn(openId, toggle);
    return isOfOneWebhook ? [name, ...FURTHER_COLUMNS] : [name, buildWebhookColumn(webhooks), ...FURTHER_COLUMNS];
  }, [openId, toggle, isOfOneWebhook, webhooks]);
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <DataTable
        label="Deliveries"
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        held={held}
        renderDetail={(delivery) => (delivery.id === openId ? <OpenDelivery delivery={delivery} /> : null)}
        empty={<NoDelivery factory={factory} webhooks={webhooks} filter={filter} onChange={onChange} />}
      />
      {data?.examined_to != null && (
        <Text size="sm" c="dimmed" mt="sm">
          Examined deliveries back to <TimeText at={data.examined_to} />. Select “Older” to examine earlier ones.
        </Text>
      )}
      <CursorPager pages={pages} page={data} isStale={isPlaceholderData} reload={async () => (await refetch()).data} />
    </>
  );
}

function OpenDelivery({ delivery }: { delivery: Delivery }) {
  return (
    <Stack gap="lg" pt="xs" id={`detail-${delivery.id}`}>
      <DeliveryDetail delivery={delivery} />
      <Group>
        <ReplayDelivery delivery={delivery} />
      </Group>
    </Stack>
  );
}

function buildNameColumn(openId: string | null, toggle: (id: string) => void): DataColumn<Delivery> {
  return {
    header: 'Delivery ID',
    render: (delivery) => {
      const isOpen = delivery.id === openId;
      return (
        <Group gap="xs" wrap="nowrap">
          <DetailToggle
            id={delivery.id}
            label={`Details of ${delivery.id}`}
            isOpen={isOpen}
            onToggle={() => toggle(delivery.id)}
          />
          <DeliveryName delivery={delivery} />
        </Group>
      );
    },
  };
}

function buildWebhookColumn(webhooks: readonly Webhook[]): DataColumn<Delivery> {
  const listed = new Set(webhooks.map(({ uid }) => uid));
  return {
    header: 'Webhook',
    render: (delivery) => {
      const { factory, webhook_uid: uid, webhook_name: name } = delivery;
      return (
        <>
          <DeliverySource delivery={delivery} />
          {!listed.has(uid) && !isTickSource(name) && <DeletedMark factory={factory} uid={uid} />}
        </>
      );
    },
  };
}

/** A webhook that is not in the list may be new or deleted, so it is read. */
function DeletedMark({ factory, uid }: { factory: string; uid: string }) {
  const { data } = useQuery(webhookQuery(factory, uid));
  if (data === undefined || data.webhook.deleted_at === null) return null;
  return (
    <Text size="xs" c="dimmed">
      deleted
    </Text>
  );
}

const FURTHER_COLUMNS: DataColumn<Delivery>[] = [
  { header: 'Event', render: (delivery) => <EventText delivery={delivery} /> },
  { header: 'Label', render: (delivery) => <DeliveryLabels delivery={delivery} /> },
  { header: 'Received', render: ({ received_at }) => <TimeText at={received_at} isFocusable={false} /> },
  { header: 'Size', align: 'end', render: formatBodySize },
  { header: 'Runs', align: 'end', render: ({ runs }) => runs.length },
];

function EventText({ delivery: { event, summary } }: { delivery: Delivery }) {
  return (
    <>
      {event !== null && <UntrustedText text={event} />}
      {summary !== null && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          <UntrustedText text={summary} />
        </Text>
      )}
    </>
  );
}

function DeliveryName({ delivery }: { delivery: Delivery }) {
  const { factory, id, delivery_id } = delivery;
  const href = objectPath(factory, 'deliveries', id);
  return (
    <Anchor component={Link} href={href} inherit ff="monospace" lineClamp={2}>
      {delivery_id === null ? 'No ID' : <UntrustedText text={delivery_id} />}
    </Anchor>
  );
}

function DeliveryLabels({ delivery: { label, count, replay_of, reason, detail } }: { delivery: Delivery }) {
  return (
    <Group gap={6}>
      <StatusBadge state={label ?? NO_LABEL} />
      {count > 1 && (
        <Badge color="gray" variant="light" radius="sm" tt="none">
          ×{count}
        </Badge>
      )}
      {replay_of !== null && (
        <Text size="xs" c="dimmed">
          replay of {replay_of}
        </Text>
      )}
      {label === null && detail !== null && (
        <Text size="xs" c="dimmed">
          <UntrustedText text={detail} />
        </Text>
      )}
      {label?.startsWith('Rejected') && reason !== null && (
        <Text size="xs" c="dimmed">
          <UntrustedText text={reason.replaceAll('_', ' ')} />
        </Text>
      )}
    </Group>
  );
}
