import { Text } from '@mantine/core';
import type { UnloggedRequests, Webhook } from '../../../client/api-types.ts';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

/** Requests that have no entry in the delivery log, by reason. Hidden if there are none. */
export function UnloggedRequestsCard({ webhook: { unlogged_requests: requests = [] } }: { webhook: Webhook }) {
  if (requests.length === 0) return null;
  return (
    <SectionCard title="Requests without a log entry">
      <DataTable
        label="Requests without a log entry"
        columns={COLUMNS}
        rows={requests}
        rowKey={({ reason }) => reason}
      />
    </SectionCard>
  );
}

const COLUMNS: DataColumn<UnloggedRequests>[] = [
  {
    header: 'Reason',
    render: ({ reason, reason_text }) => (
      <>
        {reason.replaceAll('_', ' ')}
        <Text size="xs" c="dimmed">
          {reason_text}
        </Text>
      </>
    ),
  },
  { header: 'Response', render: ({ status }) => status ?? 'none' },
  { header: 'Last hour', align: 'end', render: ({ last_hour }) => last_hour },
  { header: 'Last 24 hours', align: 'end', render: ({ last_24_hours }) => last_24_hours },
  { header: 'Last request', render: ({ last_at }) => <TimeText at={last_at} /> },
];
