import { Code, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { useSearchParams } from 'wouter';
import type { Alert } from '../../../client/api-types.ts';
import { type AlertView, alertsQuery } from '../../api/alerts.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { ShowOlder } from '../../parts/table/show-older.tsx';
import { useShownPages } from '../../parts/table/use-shown-pages.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { keepFactory } from '../../shell/context/current-factory.ts';
import { AcknowledgeButton } from './acknowledge-button.tsx';
import { AlertSubject } from './alert-subject.tsx';

/** What needs attention in all factories. The selected tab is in the URL, so it survives a reload. */
export function AlertsPage() {
  const [search, setSearch] = useSearchParams();
  const choose = (tab: string | null) => {
    const factory = keepFactory(search);
    setSearch(tab === 'resolved' ? { ...factory, tab } : factory, { replace: true });
  };
  return (
    <>
      <PageHeader
        title="Alerts"
        lead="One alert for each rule and object. It is resolved automatically when its cause has ended."
      />
      <Tabs value={search.get('tab') === 'resolved' ? 'resolved' : 'active'} onChange={choose} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="active">Active</Tabs.Tab>
          <Tabs.Tab value="resolved">Resolved</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="active">
          <AlertList view="active" columns={ACTIVE} />
        </Tabs.Panel>
        <Tabs.Panel value="resolved">
          <AlertList view="resolved" columns={RESOLVED} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function AlertList({ view, columns }: { view: AlertView; columns: DataColumn<Alert>[] }) {
  const alerts = useInfiniteQuery(alertsQuery(view));
  const pages = useShownPages(alerts);
  if (alerts.error !== null) return <ErrorPanel error={alerts.error} onRetry={() => void alerts.refetch()} />;
  return (
    <Stack align="stretch">
      <DataTable
        label="Alerts"
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        empty={view === 'active' ? <NothingActive /> : <NothingResolved />}
      />
      <ShowOlder pages={pages} />
    </Stack>
  );
}

const STATE: DataColumn<Alert> = {
  header: 'State',
  render: ({ state, severity }) => <StatusBadge state={state === 'open' ? severity : state} label={state} />,
};
const FOUND: DataColumn<Alert> = {
  header: 'Alert',
  render: ({ title, summary, advice, state }) => (
    <>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <UntrustedText text={summary} />
      </Text>
      {state !== 'resolved' && (
        <Text size="xs" c="dimmed">
          {advice}
        </Text>
      )}
    </>
  ),
};
const ABOUT: DataColumn<Alert> = { header: 'About', render: (alert) => <AlertSubject alert={alert} /> };
const OPENED: DataColumn<Alert> = { header: 'Opened', render: ({ opened_at }) => <TimeText at={opened_at} /> };

const ACTIVE: DataColumn<Alert>[] = [
  FOUND,
  STATE,
  ABOUT,
  OPENED,
  { header: 'Acknowledged', render: (alert) => <Acknowledgement alert={alert} /> },
];

const RESOLVED: DataColumn<Alert>[] = [
  FOUND,
  ABOUT,
  OPENED,
  { header: 'Resolved', render: ({ resolved_at: at }) => (at === null ? '–' : <TimeText at={at} />) },
  { header: 'Acknowledged', render: (alert) => <Acknowledgement alert={alert} /> },
];

/** Who takes care of the alert, or the button to do so. */
function Acknowledgement({ alert }: { alert: Alert }) {
  const { acknowledged_by: by, acknowledged_at: at, note, state } = alert;
  if (by === null || at === null) return state === 'open' ? <AcknowledgeButton alert={alert} /> : '–';
  return (
    <>
      <Text size="sm">
        <UntrustedText text={by.name} />, <TimeText at={at} />
      </Text>
      {note !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={note} />
        </Text>
      )}
    </>
  );
}

function NothingActive() {
  return (
    <EmptyState icon={BellRing} title="No alert is active">
      Messages go to the targets in <Code>alerts.targets</Code> of <Code>dockbell.yaml</Code>.
    </EmptyState>
  );
}

function NothingResolved() {
  return (
    <EmptyState icon={BellRing} title="No alert was resolved yet">
      Resolved alerts are kept for 90 days.
    </EmptyState>
  );
}
