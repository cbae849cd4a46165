import { Stack, Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { GitCommitHorizontal } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { reconciliationsQuery } from '../../api/reconciliations.ts';
import type { Factory } from '../../api/types.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { useHeldUpdates } from '../../parts/live/use-held-updates.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ShowOlder } from '../../parts/table/show-older.tsx';
import { useShownPages } from '../../parts/table/use-shown-pages.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { ReconcileNow } from './reconcile-now.tsx';
import { RECONCILIATION_COLUMNS } from './reconciliation-columns.tsx';
import { RevisionsList } from './revisions-list.tsx';

/** The passes of the loop that makes a definition live. */
export function ReconciliationsPage() {
  const factory = useFactory();
  return (
    <>
      <PageHeader
        title="Reconciliations"
        lead="Each pass reads the definition and makes it live, whole or not at all."
        actions={<ReconcileNow factory={factory.name} />}
      />
      {factory.source?.type === 'managed' ? <WithRevisions factory={factory} /> : <Passes factory={factory} />}
    </>
  );
}

/** Only a managed factory keeps its revisions here. The tab is in the address, so that it survives a reload. */
function WithRevisions({ factory }: { factory: Factory }) {
  const [search, setSearch] = useSearchParams();
  const choose = (tab: string | null) => setSearch(tab === 'revisions' ? { tab } : {}, { replace: true });
  return (
    <Tabs value={search.get('tab') === 'revisions' ? 'revisions' : 'passes'} onChange={choose} keepMounted={false}>
      <Tabs.List mb="lg">
        <Tabs.Tab value="passes">Passes</Tabs.Tab>
        <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="passes">
        <Passes factory={factory} />
      </Tabs.Panel>
      <Tabs.Panel value="revisions">
        <RevisionsList factory={factory.name} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Passes({ factory }: { factory: Factory }) {
  const query = reconciliationsQuery(factory.name);
  const passes = useInfiniteQuery(query);
  const pages = useShownPages(passes);
  const held = useHeldUpdates(
    query.queryKey,
    ({ type, data: { factory: name } }) => type === 'reconciliation' && name === factory.name,
  );
  if (passes.error !== null) return <ErrorPanel error={passes.error} onRetry={() => void passes.refetch()} />;
  return (
    <Stack align="stretch">
      <DataTable
        label="Reconciliations"
        columns={RECONCILIATION_COLUMNS}
        rows={pages.rows}
        rowKey={({ id }) => id}
        held={held}
        empty={<NoPasses factory={factory} />}
      />
      <ShowOlder pages={pages} />
    </Stack>
  );
}

function NoPasses({ factory: { name, source } }: { factory: Factory }) {
  const next =
    source?.type === 'repository'
      ? `Push a commit to ${source.branch ?? 'the production branch'} of its repository; it is noticed within a moment.`
      : 'Add the first webhook; each change is a pass.';
  return (
    <EmptyState icon={GitCommitHorizontal} title={`Nothing was reconciled in ${name} yet`}>
      {next}
    </EmptyState>
  );
}
