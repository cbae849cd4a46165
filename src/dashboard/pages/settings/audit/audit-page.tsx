import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, ScrollText } from 'lucide-react';
import { useSearchParams } from 'wouter';
import type { AuditEntry } from '../../../../client/api-types.ts';
import { type AuditFilter, auditQuery } from '../../../api/audit.ts';
import { tokensQuery } from '../../../api/tokens.ts';
import { usersQuery } from '../../../api/users.ts';
import { EmptyState } from '../../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { StatusBadge } from '../../../parts/layout/status-badge.tsx';
import { CursorPager } from '../../../parts/table/cursor-pager.tsx';
import { type DataColumn, DataTable } from '../../../parts/table/data-table.tsx';
import { DetailToggle } from '../../../parts/table/detail-toggle.tsx';
import { useCursorPages, useOpenRow } from '../../../parts/table/use-cursor-pages.ts';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { formatExactTime } from '../../../parts/time/format-time.ts';
import { TimeText } from '../../../parts/time/time-text.tsx';
import { keepFactory } from '../../../shell/context/current-factory.ts';
import { useManagesTeam } from '../../../shell/context/session-user.ts';
import { RoleNotice } from '../../../shell/role-notice.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { AuditDetails } from './audit-details.tsx';
import { AuditFilters, isFiltered, NO_FILTER, readAuditFilter, writeAuditFilter } from './audit-filters.tsx';
import { describeSubject, type NamesById } from './describe-subject.ts';

/** Changes and sign-ins: actor, action, time and IP address. */
export function AuditPage() {
  const managesTeam = useManagesTeam();
  return <SettingsFrame>{managesTeam ? <AuditLog /> : <RoleNotice what="The audit log" isOne />}</SettingsFrame>;
}

function AuditLog() {
  const [search, setSearch] = useSearchParams();
  const filter = readAuditFilter(search);
  const filterBy = (changed: AuditFilter) =>
    setSearch({ ...keepFactory(search), ...writeAuditFilter(changed) }, { replace: true });
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Text c="dimmed" size="sm" maw={600}>
          Every change, every sign-in attempt and every applied commit. Reads of payloads, logs and artifacts: one entry
          per reader, object and day. Only retention removes entries.
        </Text>
        <Group gap="xs">
          {isFiltered(filter) && (
            <Button variant="subtle" color="gray" onClick={() => filterBy(NO_FILTER)}>
              Clear filters
            </Button>
          )}
          <RefreshLog />
        </Group>
      </Group>
      <AuditFilters filter={filter} onChange={filterBy} />
      <AuditTable filter={filter} onFilter={filterBy} />
    </Stack>
  );
}

/** The event stream has no audit events, so the user refreshes the log. */
function RefreshLog() {
  const queryClient = useQueryClient();
  const isFetching = useIsFetching({ queryKey: ['audit'] }) > 0;
  return (
    <Button
      variant="default"
      leftSection={<RefreshCw size={16} aria-hidden />}
      loading={isFetching}
      onClick={() => void queryClient.invalidateQueries({ queryKey: ['audit'] })}
    >
      Refresh
    </Button>
  );
}

interface AuditTableProps {
  filter: AuditFilter;
  onFilter: (filter: AuditFilter) => void;
}

function AuditTable({ filter, onFilter }: AuditTableProps) {
  const pages = useCursorPages();
  const [openId, toggle] = useOpenRow();
  const names = useNamesById();
  const query = { ...auditQuery(filter, pages.cursor), placeholderData: keepPreviousData };
  const { data, error, isPlaceholderData, refetch } = useQuery(query);
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <div>
      <DataTable
        label="Audit log"
        columns={buildColumns(names, openId, toggle)}
        rows={data?.data}
        rowKey={({ id }) => id}
        renderDetail={(entry) =>
          entry.id === openId ? <AuditDetails entry={entry} filter={filter} onFilter={onFilter} /> : null
        }
        empty={<NoEntry filter={filter} onFilter={onFilter} />}
      />
      <CursorPager pages={pages} page={data} isStale={isPlaceholderData} reload={async () => (await refetch()).data} />
    </div>
  );
}

function buildColumns(names: NamesById, openId: string | null, toggle: (id: string) => void): DataColumn<AuditEntry>[] {
  return [
    {
      header: 'Action',
      render: (entry) => (
        <AuditAction entry={entry} names={names} isOpen={entry.id === openId} onToggle={() => toggle(entry.id)} />
      ),
    },
    { header: 'Outcome', render: ({ outcome }) => <StatusBadge state={outcome} /> },
    { header: 'Actor', render: ({ actor }) => <Actor actor={actor} /> },
    {
      header: 'IP address',
      render: ({ client_address }) => (
        <span style={{ whiteSpace: 'nowrap' }}>
          <UntrustedText text={client_address} />
        </span>
      ),
    },
    { header: 'Time', render: ({ at }) => <TimeText at={at} isFocusable={false} /> },
  ];
}

function useNamesById(): NamesById {
  const { data: users = [] } = useQuery(usersQuery);
  const { data: tokens = [] } = useQuery(tokensQuery);
  return new Map([...users, ...tokens].map(({ id, name }) => [id, name]));
}

interface AuditActionProps {
  entry: AuditEntry;
  names: NamesById;
  isOpen: boolean;
  onToggle: () => void;
}

function AuditAction({ entry, names, isOpen, onToggle }: AuditActionProps) {
  const subject = describeSubject(entry, names);
  return (
    <Group gap="xs" wrap="nowrap">
      <DetailToggle
        id={entry.id}
        label={`Details: ${entry.action}, ${formatExactTime(entry.at)}`}
        isOpen={isOpen}
        onToggle={onToggle}
      />
      <div>
        <Text size="sm" fw={600}>
          {entry.action}
        </Text>
        {subject !== null && (
          <Text size="xs" c="dimmed">
            <UntrustedText text={subject} />
          </Text>
        )}
      </div>
    </Group>
  );
}

function Actor({ actor }: { actor: AuditEntry['actor'] }) {
  if (actor === null) {
    return (
      <Text size="sm" c="dimmed">
        Unknown
      </Text>
    );
  }
  return (
    <>
      <UntrustedText text={actor.name} />
      {actor.kind === 'token' && (
        <Text size="xs" c="dimmed">
          API token
        </Text>
      )}
    </>
  );
}

function NoEntry({ filter, onFilter }: AuditTableProps) {
  if (!isFiltered(filter)) {
    return (
      <EmptyState icon={ScrollText} title="No entries yet">
        Changes and sign-ins appear here with actor, IP address and outcome.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={ScrollText}
      title="No matching entries"
      action={
        <Button variant="default" onClick={() => onFilter(NO_FILTER)}>
          Show all entries
        </Button>
      }
    >
      Clear a filter, or choose a longer period.
    </EmptyState>
  );
}
