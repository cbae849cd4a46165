import { ActionIcon, Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronRight, Inbox } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type DeliveryFilter, deliveriesQuery } from '../../api/deliveries.ts';
import type { Delivery, Webhook } from '../../api/types.ts';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { type DataColumn, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { ForeignText } from '../../parts/foreign-text.tsx';
import { formatSize } from '../../parts/format-size.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeText } from '../../parts/time-text.tsx';
import { useCursorPages } from '../../parts/use-cursor-pages.ts';
import { useHeldUpdates } from '../../parts/use-held-updates.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { FirstDelivery } from './first-delivery.tsx';
import { ReplayDelivery } from './replay-delivery.tsx';

interface DeliveryTableProps {
  factory: string;
  filter: DeliveryFilter;
  /** `undefined` for one that is deleted. */
  webhook: Webhook | undefined;
}

export function DeliveryTable({ factory, filter, webhook }: DeliveryTableProps) {
  const pages = useCursorPages(JSON.stringify(filter));
  const [openId, setOpenId] = useState<string | null>(null);
  const query = deliveriesQuery(factory, filter, pages.cursor);
  const { data, error, refetch } = useQuery({ ...query, placeholderData: keepPreviousData });
  const isAmong = (delivery: Partial<Delivery>) =>
    delivery.webhook_uid === filter.webhook && (filter.label === null || delivery.label === filter.label);
  const held = useHeldUpdates(
    query.queryKey,
    ({ type, data: told }) => type === 'delivery' && pages.isNewest && isAmong(told),
    openId !== null,
  );
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const toggle = (id: string) => setOpenId(openId === id ? null : id);
  return (
    <>
      <DataTable
        label="Deliveries"
        columns={buildColumns(openId, toggle)}
        rows={data?.data}
        rowKey={({ id }) => id}
        held={held}
        renderDetail={(delivery) => (delivery.id === openId ? <OpenDelivery delivery={delivery} /> : null)}
        empty={<NoDelivery filter={filter} webhook={webhook} />}
      />
      <CursorPager pages={pages} nextCursor={data?.next_cursor} />
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

function NoDelivery({ filter, webhook }: { filter: DeliveryFilter; webhook: Webhook | undefined }) {
  if (filter.label === null && webhook !== undefined) return <FirstDelivery webhook={webhook} />;
  return (
    <EmptyState icon={Inbox} title="No delivery fits">
      Nothing in the log is like this. Choose another label, or another webhook.
    </EmptyState>
  );
}

function buildColumns(openId: string | null, toggle: (id: string) => void): DataColumn<Delivery>[] {
  return [
    {
      header: 'Delivery ID',
      render: (delivery) => {
        const isOpen = delivery.id === openId;
        return (
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-expanded={isOpen}
              aria-controls={isOpen ? `detail-${delivery.id}` : undefined}
              aria-label={`Details of ${delivery.id}`}
              onClick={() => toggle(delivery.id)}
            >
              <ChevronRight size={16} style={isOpen ? { transform: 'rotate(90deg)' } : undefined} aria-hidden />
            </ActionIcon>
            <DeliveryName delivery={delivery} />
          </Group>
        );
      },
    },
    { header: 'Label', render: (delivery) => <DeliveryLabels delivery={delivery} /> },
    { header: 'Received', render: ({ received_at }) => <TimeText at={received_at} /> },
    { header: 'Size', align: 'end', render: ({ size }) => formatSize(size) },
    { header: 'Runs', align: 'end', render: ({ runs }) => runs.length },
  ];
}

function DeliveryName({ delivery }: { delivery: Delivery }) {
  const { factory, id, delivery_id } = delivery;
  const href = `/factories/${encodeURIComponent(factory)}/deliveries/${id}`;
  return (
    <Anchor component={Link} href={href} inherit ff="monospace" lineClamp={2}>
      {delivery_id === null ? 'none' : <ForeignText text={delivery_id} />}
    </Anchor>
  );
}

function DeliveryLabels({ delivery: { label, count, replay_of, reason } }: { delivery: Delivery }) {
  return (
    <Group gap={6}>
      <StatusBadge state={label} />
      {count > 1 && (
        <Badge color="gray" variant="light" radius="sm" tt="none">
          ×{count}
        </Badge>
      )}
      {replay_of !== null && (
        <Text size="xs" c="dimmed">
          replay
        </Text>
      )}
      {label.startsWith('Rejected') && reason !== null && (
        <Text size="xs" c="dimmed">
          <ForeignText text={reason.replaceAll('_', ' ')} />
        </Text>
      )}
    </Group>
  );
}
