import { Anchor, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { Link } from 'wouter';
import type { Replay } from '../../../client/api-types.ts';
import { replaysQuery } from '../../api/replays.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { useCursorPages } from '../../parts/table/use-cursor-pages.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath, objectPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { ReplayProgress } from './replay-progress.tsx';

/** The replays of a factory, and how far each is. */
export function ReplaysPage() {
  const { name: factory } = useFactory();
  const pages = useCursorPages();
  const replays = useQuery({ ...replaysQuery(factory, pages.cursor), placeholderData: keepPreviousData });
  return (
    <>
      <PageHeader
        title="Replays"
        trail={[{ label: 'Deliveries', href: factoryPath(factory, 'deliveries') }]}
        lead="A replay evaluates stored deliveries again and starts new runs, also after a restart of the daemon."
      />
      {replays.error === null ? (
        <DataTable
          label="Replays"
          columns={COLUMNS}
          rows={replays.data?.data}
          rowKey={({ id }) => id}
          empty={<NoReplays />}
        />
      ) : (
        <ErrorPanel error={replays.error} onRetry={() => void replays.refetch()} />
      )}
      <CursorPager
        pages={pages}
        page={replays.data}
        isStale={replays.isPlaceholderData}
        reload={async () => (await replays.refetch()).data}
      />
    </>
  );
}

const COLUMNS: DataColumn<Replay>[] = [
  {
    header: 'Replay',
    render: ({ factory, id, state }) => (
      <Group gap="sm" wrap="nowrap">
        <StatusBadge state={state} />
        <Anchor component={Link} href={objectPath(factory, 'replays', id)} size="sm" ff="monospace">
          {id}
        </Anchor>
      </Group>
    ),
  },
  { header: 'Examined', render: (replay) => <ReplayProgress replay={replay} /> },
  { header: 'Replayed', render: ({ replayed }) => replayed.toLocaleString() },
  { header: 'Runs', render: ({ runs }) => runs.toLocaleString() },
  { header: 'Requested by', render: ({ requested_by }) => <UntrustedText text={requested_by.name} /> },
  { header: 'Created', render: ({ created_at }) => <TimeText at={created_at} isFocusable={false} /> },
];

function NoReplays() {
  return (
    <EmptyState icon={RotateCcw} title="No replays yet">
      Filter the deliveries, and select “Replay all that match”.
    </EmptyState>
  );
}
