import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { Link } from 'wouter';
import type { Delivery } from '../../../client/api-types.ts';
import { NO_LABEL } from '../../../domain/words/deliveries.ts';
import { rejectionsQuery } from '../../api/activity.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useLiveRows } from '../../parts/live/use-live-rows.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { buildDeliveriesPath, DELIVERY_LABELS } from '../deliveries/delivery-filter.ts';

const HOURS = 24;
const SHOWN = 8;

/** Recent rejections: a sender with a wrong configuration appears here first. */
export function RecentRejections({ factory }: { factory: string }) {
  const query = rejectionsQuery(factory, HOURS, SHOWN);
  const { data, error, refetch } = useQuery(query);
  const held = useLiveRows({
    queryKey: query.queryKey,
    limit: SHOWN,
    rowOf: ({ type, data: event }) => (type === 'delivery' && event.factory === factory ? event : null),
    takes: ({ label }) => label?.startsWith('Rejected') === true,
  });
  return (
    <SectionCard title="Rejected in the last 24 hours" actions={<MoreOf factory={factory} shown={data ?? []} />}>
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Rejections"
          columns={COLUMNS}
          rows={data}
          rowKey={({ id }) => id}
          held={held}
          empty={
            <EmptyState icon={ShieldCheck} title="No rejected deliveries">
              Deliveries with a wrong secret, invalid JSON or a body that is too large appear here.
            </EmptyState>
          }
        />
      )}
    </SectionCard>
  );
}

/** Links to the full lists of the shown labels. */
function MoreOf({ factory, shown }: { factory: string; shown: readonly Delivery[] }) {
  const labels = DELIVERY_LABELS.filter((wanted) => shown.some(({ label }) => label === wanted));
  return (
    <Group gap="md">
      {labels.map((label) => (
        <Anchor
          key={label}
          component={Link}
          href={buildDeliveriesPath(factory, { label, time: { kind: 'last', span: '24h' } })}
          size="sm"
        >
          All {label}
        </Anchor>
      ))}
    </Group>
  );
}

const COLUMNS: DataColumn<Delivery>[] = [
  {
    header: 'Webhook',
    render: ({ factory, webhook_uid, webhook_name }) => (
      <ObjectLink factory={factory} kind="webhooks" id={webhook_uid}>
        <UntrustedText text={webhook_name} />
      </ObjectLink>
    ),
  },
  { header: 'Label', render: ({ label }) => <StatusBadge state={label ?? NO_LABEL} /> },
  {
    header: 'Reason',
    render: ({ detail, reason_text }) => {
      return (
        <>
          <UntrustedText text={reason_text ?? 'No reason was logged.'} />
          {detail !== null && (
            <Text size="xs" c="dimmed">
              <UntrustedText text={detail} />
            </Text>
          )}
        </>
      );
    },
  },
  { header: 'Requests', align: 'end', render: ({ count }) => count },
  {
    header: 'Time',
    render: ({ factory, id, received_at }) => (
      <ObjectLink factory={factory} kind="deliveries" id={id}>
        <TimeText at={received_at} isFocusable={false} />
      </ObjectLink>
    ),
  },
];
