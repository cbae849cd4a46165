import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useSearchParams } from 'wouter';
import type { Run, RunState } from '../../../client/api-types.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { automationsQuery } from '../../api/automations.ts';
import type { TimeSpan } from '../../api/deliveries.ts';
import { webhooksQuery } from '../../api/queries.ts';
import { type RunFilter, runsQuery } from '../../api/runs.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { SearchSelect } from '../../parts/form/search-select.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { PAGE_ROWS } from '../../parts/live/log-page.ts';
import { useLiveRows } from '../../parts/live/use-live-rows.ts';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { useCursorPages } from '../../parts/table/use-cursor-pages.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { useFactory } from '../../shell/context/current-factory.ts';
import { RetryMatching } from './retry-matching.tsx';
import { RunDuration } from './run-duration.tsx';
import { isOpenFilter, RUN_STATES, readRunFilter, takesRun, writeRunFilter } from './run-filter.ts';
import { WorkersSection } from './workers-section.tsx';

/** The runs of a factory. */
export function RunsPage() {
  const { name: factory } = useFactory();
  const [search, setSearch] = useSearchParams();
  const filter = readRunFilter(search);
  return (
    <>
      <PageHeader
        title="Runs"
        lead="A run is one execution of an automation for one delivery."
        actions={<RetryMatching factory={factory} filter={filter} />}
      />
      <RunFilters
        factory={factory}
        filter={filter}
        onChange={(changed) => setSearch(writeRunFilter(changed), { replace: true })}
      />
      <Stack gap="xl">
        <RunTable factory={factory} filter={filter} />
        <WorkersSection factory={factory} />
      </Stack>
    </>
  );
}

interface RunFiltersProps {
  factory: string;
  filter: RunFilter;
  onChange: (filter: RunFilter) => void;
}

function RunFilters({ factory, filter, onChange }: RunFiltersProps) {
  const { data: automations = [] } = useQuery(automationsQuery(factory));
  const names = automations.map(({ name }) => name);
  const chosen = filter.automation;
  const listed = chosen === null || names.includes(chosen) ? names : [...names, chosen];
  return (
    <Group mb="lg" align="flex-end" role="search" aria-label="Runs">
      <Select
        label="State"
        placeholder="All"
        data={[...RUN_STATES]}
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state: state as RunState | null, deadLetter: null })}
        clearable
        clearButtonProps={{ 'aria-label': 'All states' }}
      />
      <SearchSelect
        label="Automation"
        placeholder="All"
        data={listed.map((name) => ({ value: name, label: escapeText(name) }))}
        value={chosen}
        onChange={(automation) => onChange({ ...filter, automation })}
        clearable
        clearButtonProps={{ 'aria-label': 'All automations' }}
        searchable={names.length > 8}
      />
      <SearchSelect
        label="Webhook"
        placeholder="All"
        data={useWebhookChoices(factory, filter.webhook)}
        value={filter.webhook}
        onChange={(webhook) => onChange({ ...filter, webhook })}
        clearable
        clearButtonProps={{ 'aria-label': 'All webhooks' }}
      />
      <TextFilter
        label="Revision"
        maxLength={64}
        value={filter.revision}
        onChange={(revision) => onChange({ ...filter, revision })}
      />
      <TextFilter
        label="Result contains"
        maxLength={200}
        value={filter.search}
        onChange={(search) => onChange({ ...filter, search })}
      />
      <Select
        label="Created"
        placeholder="Any time"
        data={TIME_CHOICES}
        value={filter.last}
        onChange={(last) => onChange({ ...filter, last: last as TimeSpan | null })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any time' }}
      />
      <Checkbox
        label="Dead letters"
        description="Failed, and not retried automatically"
        checked={filter.deadLetter === true}
        onChange={({ currentTarget }) =>
          onChange({ ...filter, state: null, deadLetter: currentTarget.checked || null })
        }
      />
      {filter.delivery !== null && (
        <Button variant="light" onClick={() => onChange({ ...filter, delivery: null })}>
          Runs of all deliveries
        </Button>
      )}
    </Group>
  );
}

const TIME_CHOICES = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
];

/** Includes the UID of a deleted webhook if it is selected. */
function useWebhookChoices(factory: string, chosen: string | null) {
  const { data: webhooks = [] } = useQuery(webhooksQuery(factory));
  const choices = webhooks.map(({ uid, name }) => ({ value: uid, label: escapeText(name) }));
  const isListed = chosen === null || webhooks.some(({ uid }) => uid === chosen);
  return isListed ? choices : [...choices, { value: chosen, label: escapeText(chosen) }];
}

interface TextFilterProps {
  label: string;
  maxLength: number;
  value: string | null;
  onChange: (text: string | null) => void;
}

/** Applied when the field is left, or with Enter. */
function TextFilter({ label, maxLength, value, onChange }: TextFilterProps) {
  const [text, setText] = useDraft(value ?? '');
  const search = () => {
    const written = text.trim() === '' ? null : text.trim();
    if (written !== value) onChange(written);
  };
  return (
    <TextInput
      label={label}
      placeholder="All"
      value={text}
      maxLength={maxLength}
      spellCheck={false}
      autoComplete="off"
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={search}
      onKeyDown={({ key }) => key === 'Enter' && search()}
    />
  );
}

function RunTable({ factory, filter }: { factory: string; filter: RunFilter }) {
  const pages = useCursorPages();
  const query = runsQuery(factory, filter, pages.cursor);
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...query, placeholderData: keepPreviousData });
  const held = useLiveRows({
    queryKey: query.queryKey,
    limit: PAGE_ROWS,
    rowOf: ({ type, data: run }) => (type === 'run' && run.factory === factory ? run : null),
    takes: (run) => pages.isNewest && takesRun(filter, run),
  });
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <DataTable
        label="Runs"
        columns={COLUMNS}
        rows={data?.data}
        rowKey={({ id }) => id}
        held={held}
        empty={<NoRun filter={filter} />}
      />
      <CursorPager pages={pages} page={data} isStale={isPlaceholderData} reload={async () => (await refetch()).data} />
    </>
  );
}

function NoRun({ filter }: { filter: RunFilter }) {
  if (!isOpenFilter(filter)) {
    return (
      <EmptyState icon={Play} title="No matching runs">
        Clear or change a filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Play}
      title="No runs yet"
      action={<CodeBlock what="send command" code={'dockbell send WEBHOOK --data \'{"hello":"dock"}\''} />}
    >
      An automation starts a run when a delivery matches one of its triggers. Send a delivery. Its decisions show why
      each automation did or did not start.
    </EmptyState>
  );
}

const COLUMNS: DataColumn<Run>[] = [
  {
    header: 'Automation',
    render: ({ factory, id, automation, concurrency_key: key }) => (
      <>
        <ObjectLink factory={factory} kind="runs" id={id}>
          <b>
            <UntrustedText text={automation} />
          </b>
        </ObjectLink>
        {key !== null && (
          <Text size="xs" c="dimmed" lineClamp={1} style={{ overflowWrap: 'anywhere' }}>
            Key <UntrustedText text={key} />
          </Text>
        )}
      </>
    ),
  },
  { header: 'State', render: ({ state }) => <StatusBadge state={state} /> },
  { header: 'Attempt', align: 'end', render: ({ attempt }) => attempt },
  {
    header: 'Delivery',
    render: ({ factory, delivery, delivery_id }) => (
      <ObjectLink factory={factory} kind="deliveries" id={delivery}>
        <UntrustedText text={delivery_id} />
      </ObjectLink>
    ),
  },
  {
    header: 'Reason',
    render: (run) => <RunReason run={run} />,
  },
  { header: 'Created', render: ({ created_at }) => <TimeText at={created_at} isFocusable={false} /> },
  { header: 'Duration', align: 'end', render: (run) => <RunDuration run={run} /> },
];

function RunReason({ run: { factory, error, waiting, superseded_by: newer } }: { run: Run }) {
  const reason = error ?? waiting?.reason_text ?? null;
  if (reason === null) return '–';
  return (
    <Text size="xs" c="dimmed" lineClamp={newer === null ? 2 : 3} style={{ overflowWrap: 'anywhere' }}>
      <UntrustedText text={reason} />
      {newer !== null && (
        <>
          {' by '}
          <ObjectLink factory={factory} kind="runs" id={newer}>
            a newer run
          </ObjectLink>
        </>
      )}
    </Text>
  );
}
