import { Anchor, Group, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { GitCommitHorizontal } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import type { Factory, Reconciliation } from '../../../client/api-types.ts';
import { reconciliationsQuery } from '../../api/reconciliations.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useHeldUpdates } from '../../parts/live/use-held-updates.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { ShowOlder } from '../../parts/table/show-older.tsx';
import { useShownPages } from '../../parts/table/use-shown-pages.ts';
import { CommitText } from '../../parts/text/commit-text.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { objectPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { countChanges } from './plan-changes.ts';
import { ReconcileNow } from './reconcile-now.tsx';
import { RevisionsList } from './revisions-list.tsx';

/** The reconciliations of a factory. */
export function ReconciliationsPage() {
  const factory = useFactory();
  return (
    <>
      <PageHeader
        title="Reconciliations"
        lead="A reconciliation reads the definition and applies it completely or not at all."
        actions={<ReconcileNow factory={factory.name} />}
      />
      {factory.source?.type === 'managed' ? <WithRevisions factory={factory} /> : <Reconciliations factory={factory} />}
    </>
  );
}

/** Managed factories also have revisions. The selected tab is in the URL, so it survives a reload. */
function WithRevisions({ factory }: { factory: Factory }) {
  const [search, setSearch] = useSearchParams();
  const choose = (tab: string | null) => setSearch(tab === 'revisions' ? { tab } : {}, { replace: true });
  return (
    <Tabs
      value={search.get('tab') === 'revisions' ? 'revisions' : 'reconciliations'}
      onChange={choose}
      keepMounted={false}
    >
      <Tabs.List mb="lg">
        <Tabs.Tab value="reconciliations">Reconciliations</Tabs.Tab>
        <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="reconciliations">
        <Reconciliations factory={factory} />
      </Tabs.Panel>
      <Tabs.Panel value="revisions">
        <RevisionsList factory={factory.name} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Reconciliations({ factory }: { factory: Factory }) {
  const query = reconciliationsQuery(factory.name);
  const reconciliations = useInfiniteQuery(query);
  const pages = useShownPages(reconciliations);
  const held = useHeldUpdates(
    query.queryKey,
    ({ type, data: { factory: name } }) => type === 'reconciliation' && name === factory.name,
  );
  if (reconciliations.error !== null)
    return <ErrorPanel error={reconciliations.error} onRetry={() => void reconciliations.refetch()} />;
  return (
    <Stack align="stretch">
      <DataTable
        label="Reconciliations"
        columns={COLUMNS}
        rows={pages.rows}
        rowKey={({ id }) => id}
        held={held}
        empty={<NoReconciliations factory={factory} />}
      />
      <ShowOlder pages={pages} />
    </Stack>
  );
}

const COLUMNS: DataColumn<Reconciliation>[] = [
  {
    header: 'Result',
    render: ({ factory, id, result, reason_text }) => (
      <Group gap="sm" wrap="nowrap">
        <StatusBadge state={result} />
        <Anchor component={Link} href={objectPath(factory, 'reconciliations', id)} size="sm" fw={600}>
          <UntrustedText text={reason_text.replace(/\.$/, '')} />
        </Anchor>
      </Group>
    ),
  },
  { header: 'Revision', render: ({ revision }) => <RevisionText revision={revision} /> },
  { header: 'Commit', render: ({ commit }) => (commit === null ? '–' : <CommitText commit={commit} />) },
  { header: 'Changes', render: ({ plan }) => <Text size="sm">{countChanges(plan)}</Text> },
  { header: 'Findings', render: ({ diagnostics }) => <Text size="sm">{diagnostics.length || '–'}</Text> },
  { header: 'Finished', render: ({ finished_at }) => <TimeText at={finished_at} isFocusable={false} /> },
];

function NoReconciliations({ factory: { name, source } }: { factory: Factory }) {
  const next =
    source?.type === 'repository'
      ? `Push a commit to ${source.branch ?? 'the production branch'} of the repository.`
      : 'Add a webhook. Each change starts a reconciliation.';
  return (
    <EmptyState icon={GitCommitHorizontal} title={`No reconciliations of ${name} yet`}>
      {next}
    </EmptyState>
  );
}
