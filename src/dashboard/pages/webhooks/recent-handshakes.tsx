import { useQuery } from '@tanstack/react-query';
import type { Handshake, Webhook } from '../../../client/api-types.ts';
import { webhookHandshakesQuery } from '../../api/queries.ts';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

const SHOWN = 5;

/** Recent handshake requests of the provider. Hidden if there are none. */
export function RecentHandshakes({ webhook }: { webhook: Webhook }) {
  const { data } = useQuery(webhookHandshakesQuery(webhook.factory, webhook.uid, SHOWN));
  if (data === undefined || data.length === 0) return null;
  return (
    <SectionCard title="Handshakes">
      <DataTable label="Handshakes" columns={COLUMNS} rows={data} rowKey={keyOf} />
    </SectionCard>
  );
}

function keyOf({ handshake, received_at, client_address }: Handshake): string {
  return `${handshake} ${received_at} ${client_address}`;
}

const COLUMNS: DataColumn<Handshake>[] = [
  { header: 'Handshake', render: ({ handshake }) => handshake },
  { header: 'Outcome', render: ({ outcome }) => <StatusBadge state={outcome} /> },
  { header: 'Detail', render: ({ detail }) => (detail === null ? '' : <UntrustedText text={detail} />) },
  { header: 'Time', render: ({ received_at }) => <TimeText at={received_at} /> },
];
