import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { webhooksQuery } from '../../api/queries.ts';
import type { Webhook } from '../../api/types.ts';
import { type DataColumn, DataTable } from '../../parts/data-table.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { ForeignText } from '../../parts/foreign-text.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeText } from '../../parts/time-text.tsx';
import { useHeldUpdates } from '../../parts/use-held-updates.ts';
import { useFactory } from '../../shell/current-factory.ts';

/** Where senders post to. */
export function WebhooksPage() {
  const { name: factory } = useFactory();
  const query = webhooksQuery(factory);
  const { data, error, refetch } = useQuery(query);
  const held = useHeldUpdates(query.queryKey, (event) => event.data.factory === factory);
  return (
    <>
      <PageHeader title="Webhooks" lead="Each has a URL that an outside system posts JSON to." />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable label="Webhooks" columns={COLUMNS} rows={data} rowKey={({ uid }) => uid} held={held} />
      )}
    </>
  );
}

const COLUMNS: DataColumn<Webhook>[] = [
  {
    header: 'Name',
    render: ({ factory, uid, name }) => (
      <Anchor component={Link} href={`/factories/${encodeURIComponent(factory)}/webhooks/${uid}`} fw={600}>
        <ForeignText text={name} />
      </Anchor>
    ),
  },
  { header: 'State', render: ({ enabled }) => <StatusBadge state={enabled ? 'enabled' : 'disabled'} /> },
  {
    header: 'Last delivery',
    render: ({ last_delivery_at }) => (last_delivery_at === null ? 'never' : <TimeText at={last_delivery_at} />),
  },
];
