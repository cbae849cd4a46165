import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Automation, ProviderTrigger, Webhook } from '../../../client/api-types.ts';
import { explainInactiveAutomation } from '../../../domain/words/automations.ts';
import { automationsQuery } from '../../api/automations.ts';
import { webhooksQuery } from '../../api/queries.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useHeldUpdates } from '../../parts/live/use-held-updates.ts';
import type { ReceivedEvent } from '../../parts/live/use-live-events.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { newAutomationPath, objectPath } from '../../paths.ts';
import { useFactorySource } from './use-factory-source.ts';
import { useLiveResults } from './use-live-results.ts';

/** Lists the automations with their triggers, state and last run. */
export function AutomationsPage() {
  const { factory, isRepository, mayEdit } = useFactorySource();
  const query = automationsQuery(factory);
  const { data, error, refetch } = useQuery(query);
  const { data: webhooks = [] } = useQuery(webhooksQuery(factory));
  useLiveResults(query.queryKey, (run) => run.factory === factory);
  const isApply = ({ type, data: event }: ReceivedEvent) => type === 'reconciliation' && event.factory === factory;
  const held = useHeldUpdates(query.queryKey, isApply);
  const add = <AddButton factory={factory} isRepository={isRepository} />;
  const mayAdd = mayEdit || isRepository;
  return (
    <>
      <PageHeader
        title="Automations"
        lead="An automation starts a run when a delivery matches one of its triggers."
        actions={mayAdd && data?.length !== 0 ? add : undefined}
      />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Automations"
          columns={listColumns(webhooks)}
          rows={data}
          rowKey={({ name }) => name}
          held={held}
          empty={<NoAutomations isRepository={isRepository} action={mayAdd ? add : undefined} />}
        />
      )}
    </>
  );
}

function AddButton({ factory, isRepository }: { factory: string; isRepository: boolean }) {
  return (
    <Button component={Link} href={newAutomationPath(factory)} leftSection={<Plus size={16} />}>
      {isRepository ? 'Draft automation' : 'Add automation'}
    </Button>
  );
}

function NoAutomations({ isRepository, action }: { isRepository: boolean; action: ReactNode }) {
  return (
    <EmptyState icon={Zap} title="No automations yet" action={action}>
      {isRepository ? (
        <>
          Deliveries are accepted but do not start runs. To add an automation, commit a file{' '}
          <code>automations/&lt;name&gt;/automation.md</code>. Its front matter lists the triggers, and its body is the
          prompt. You can draft it here and test its filter with stored deliveries first.
        </>
      ) : (
        <>
          Deliveries are accepted but do not start runs. An automation defines which webhooks and payloads start a run,
          and the prompt of the run.
        </>
      )}
    </EmptyState>
  );
}

function listColumns(webhooks: readonly Webhook[]): DataColumn<Automation>[] {
  return [
    { header: 'Name', render: (automation) => <NameCell automation={automation} /> },
    { header: 'Triggers', render: (automation) => <TriggersCell automation={automation} webhooks={webhooks} /> },
    { header: 'State', render: (automation) => <StateCell automation={automation} webhooks={webhooks} /> },
    { header: 'Last run', render: (automation) => <LastRun automation={automation} /> },
  ];
}

function NameCell({ automation: { factory, name, description } }: { automation: Automation }) {
  return (
    <>
      <Anchor component={Link} href={objectPath(factory, 'automations', name)} fw={600}>
        <UntrustedText text={name} />
      </Anchor>
      {description !== null && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          <UntrustedText text={description} />
        </Text>
      )}
    </>
  );
}

interface CellProps {
  automation: Automation;
  webhooks: readonly Webhook[];
}

function TriggersCell({ automation, webhooks }: CellProps) {
  const sentences = [...new Set(automation.triggers.map((trigger) => describeTrigger(trigger, webhooks)))];
  return (
    <Stack gap={2}>
      {sentences.map((sentence) => (
        <span key={sentence}>
          <UntrustedText text={sentence} />
        </span>
      ))}
    </Stack>
  );
}

/** A trigger in one line, for lists. */
function describeTrigger(trigger: Automation['triggers'][number], webhooks: readonly Webhook[]): string {
  if ('service' in trigger) return describeService(trigger.service);
  const names = nameWebhooks(trigger.listens_to, webhooks);
  const from = names.length === 0 ? 'no webhook' : names.join(', ');
  const isFiltered = trigger.filter.headers !== null || trigger.filter.payload !== null;
  return `Webhook received from ${from}${isFiltered ? ', filtered' : ''}`;
}

function describeService({ trigger, served_by: webhooks, reason }: ProviderTrigger['service']): string {
  return reason === null ? `${trigger} from ${webhooks.join(', ')}` : `${trigger}: cannot start here`;
}

/** @returns the names of the webhooks; the UID of a deleted one */
function nameWebhooks(uids: readonly string[], webhooks: readonly Webhook[]): string[] {
  return uids.map((uid) => webhooks.find((webhook) => webhook.uid === uid)?.name ?? uid);
}

function StateCell({ automation, webhooks }: CellProps) {
  const [reason, ...others] = automation.enabled ? listProblems({ automation, webhooks }) : [];
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge state={automation.enabled ? 'enabled' : 'disabled'} />
      {reason !== undefined && (
        <>
          <StatusBadge state="warning" label={others.length === 0 ? '1 warning' : `${others.length + 1} warnings`} />
          <Text size="xs" c="dimmed" lineClamp={2} maw={320}>
            <UntrustedText text={reason} />
          </Text>
        </>
      )}
    </Stack>
  );
}

/** A webhook that does not exist is a reason already, so its warning is omitted. */
function listProblems({ automation, webhooks }: CellProps): string[] {
  const warnings = automation.warnings.filter(({ rule }) => rule !== 'automation/unknown-uid');
  const { reasons } = explainInactiveAutomation(automation, webhooks);
  return [...reasons, ...warnings.map(({ message }) => message)];
}

/** The run that ended last, and since when runs wait. */
function LastRun({ automation: { results, oldest_queued_at: queuedAt } }: { automation: Automation }) {
  const { last_run: last, failing_since: failingSince } = results;
  if (last === null && queuedAt === null) return 'Never';
  return (
    <Stack gap={4} align="flex-start">
      {last !== null && (
        <>
          <StatusBadge state={last.state} />
          <TimeText at={last.finished_at} isFocusable={false} />
        </>
      )}
      {failingSince !== null && results.failed_in_a_row > 1 && (
        <Text size="xs" c="var(--mantine-color-error)" component="div">
          Failing since <TimeText at={failingSince} isFocusable={false} />
        </Text>
      )}
      {queuedAt !== null && (
        <Text size="xs" component="div">
          <StatusBadge state="queued" /> since <TimeText at={queuedAt} isFocusable={false} />
        </Text>
      )}
    </Stack>
  );
}
