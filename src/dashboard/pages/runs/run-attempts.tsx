import { Text, Title } from '@mantine/core';
import type { Run, RunAttempt } from '../../../client/api-types.ts';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { RunDuration } from './run-duration.tsx';

/** How each attempt of a run ended, and who requested it. */
export function RunAttempts({ run: { attempts } }: { run: Run }) {
  if (attempts.length < 2) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        Attempts
      </Title>
      <DataTable label="Attempts" columns={COLUMNS} rows={attempts} rowKey={({ number }) => String(number)} />
    </section>
  );
}

const COLUMNS: DataColumn<RunAttempt>[] = [
  { header: 'Attempt', render: ({ number }) => number },
  { header: 'State', render: ({ state }) => <StatusBadge state={state} /> },
  {
    header: 'Reason',
    render: ({ reason_text }) =>
      reason_text === null ? (
        '–'
      ) : (
        <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={reason_text} />
        </Text>
      ),
  },
  { header: 'Requested by', render: (attempt) => <Requester attempt={attempt} /> },
  {
    header: 'Started',
    render: ({ started_at }) => (started_at === null ? '–' : <TimeText at={started_at} isFocusable={false} />),
  },
  { header: 'Duration', align: 'end', render: (attempt) => <RunDuration run={attempt} /> },
  { header: 'Worker', render: ({ worker }) => (worker === null ? '–' : <UntrustedText text={worker} />) },
];

function Requester({ attempt: { number, requested_at, requested_by } }: { attempt: RunAttempt }) {
  if (requested_by !== null) return <UntrustedText text={requested_by.name} />;
  if (requested_at !== null) return 'Dockbell, automatically';
  return number === 1 ? 'The delivery' : 'Unknown';
}
