import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Worker } from '../../../client/api-types.ts';
import { workersQuery } from '../../api/workers.ts';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

/** The workers of a factory and the runs that they hold. Hidden if no worker has asked for its runs. */
export function WorkersSection({ factory }: { factory: string }) {
  const { data: workers = [] } = useQuery(workersQuery(factory));
  if (workers.length === 0) return null;
  return (
    <SectionCard title="Workers">
      <DataTable label="Workers" columns={COLUMNS} rows={workers} rowKey={keyOf} empty={null} />
    </SectionCard>
  );
}

function keyOf({ token, id }: Worker): string {
  return JSON.stringify([token, id]);
}

const COLUMNS: DataColumn<Worker>[] = [
  {
    header: 'Worker',
    render: ({ name, version }) => (
      <>
        <UntrustedText text={name} />
        {version !== null && (
          <Text size="xs" c="dimmed">
            <UntrustedText text={version} />
          </Text>
        )}
      </>
    ),
  },
  { header: 'State', render: ({ state }) => <StatusBadge state={state} /> },
  {
    header: 'Labels',
    render: ({ labels }) => (labels.length === 0 ? '–' : <UntrustedText text={labels.join(', ')} />),
  },
  { header: 'Runs', render: ({ runs }) => <HeldRuns runs={runs} /> },
  { header: 'Last seen', render: ({ last_seen_at: at }) => <TimeText at={at} /> },
];

function HeldRuns({ runs }: Pick<Worker, 'runs'>) {
  if (runs.length === 0) return '–';
  return (
    <Stack gap={2}>
      {runs.map(({ id, factory, automation }) => (
        <ObjectLink key={id} factory={factory} kind="runs" id={id}>
          <UntrustedText text={automation} />
        </ObjectLink>
      ))}
    </Stack>
  );
}
