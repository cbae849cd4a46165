import { Anchor, Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import { Link } from 'wouter';
import type { Delivery, Webhook } from '../../../client/api-types.ts';
import { NO_LABEL } from '../../../domain/words/deliveries.ts';
import { webhookDeliveriesQuery } from '../../api/queries.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useLiveRows } from '../../parts/live/use-live-rows.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { formatBodySize } from '../../parts/text/format-body-size.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath } from '../../paths.ts';

const SHOWN = 10;

/** The most recent deliveries of a webhook. */
export function RecentDeliveries({ webhook }: { webhook: Webhook }) {
  const query = webhookDeliveriesQuery(webhook.factory, webhook.uid, SHOWN);
  const { data, error, refetch } = useQuery(query);
  const held = useLiveRows({
    queryKey: query.queryKey,
    limit: SHOWN,
    rowOf: ({ type, data: event }) => (type === 'delivery' && event.webhook_uid === webhook.uid ? event : null),
    takes: () => true,
  });
  const logPath = factoryPath(webhook.factory, `deliveries?webhook=${webhook.uid}`);
  return (
    <SectionCard
      title="Recent deliveries"
      actions={
        <Anchor component={Link} href={logPath} size="sm">
          All deliveries
        </Anchor>
      }
    >
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Recent deliveries"
          columns={COLUMNS}
          rows={data}
          rowKey={({ id }) => id}
          held={held}
          empty={
            <EmptyState icon={Inbox} title="No deliveries yet">
              {describeNextStep(webhook)}
            </EmptyState>
          }
        />
      )}
    </SectionCard>
  );
}

function describeNextStep({ enabled, deleted_at }: Webhook): string {
  if (deleted_at !== null) return 'Senders get 404. Requests are only counted.';
  return enabled
    ? 'Run the command above in a shell. The delivery appears here immediately.'
    : 'The webhook is disabled. Senders get 404, and requests are only counted.';
}

const COLUMNS: DataColumn<Delivery>[] = [
  { header: 'Label', render: ({ label }) => <StatusBadge state={label ?? NO_LABEL} /> },
  { header: 'Delivery', render: (delivery) => <DeliveryIdentity delivery={delivery} /> },
  { header: 'Size', align: 'end', render: formatBodySize },
  { header: 'Runs', align: 'end', render: ({ runs }) => runs.length },
  {
    header: 'Time',
    render: ({ factory, id, received_at }) => (
      <ObjectLink factory={factory} kind="deliveries" id={id}>
        <TimeText at={received_at} isFocusable={false} />
      </ObjectLink>
    ),
  },
];

/** The delivery ID, and the reason of a rejection. */
function DeliveryIdentity({ delivery }: { delivery: Delivery }) {
  const { delivery_id, label, detail, reason_text, count } = delivery;
  const why = label?.startsWith('Rejected') ? (detail ?? reason_text) : detail;
  return (
    <>
      {delivery_id !== null && (
        <Code>
          <UntrustedText text={delivery_id} />
        </Code>
      )}
      {why !== null && (
        <Text size="xs" c="dimmed">
          <UntrustedText text={why} />
        </Text>
      )}
      {count > 1 && (
        <Text size="xs" c="dimmed">
          {count} requests
        </Text>
      )}
    </>
  );
}
