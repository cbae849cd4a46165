import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { automationsQuery, lastRunQuery } from '../../../api/automations.ts';
import { webhooksQuery } from '../../../api/queries.ts';
import type { Automation, Webhook } from '../../../api/types.ts';
import { EmptyState } from '../../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../../parts/layout/status-badge.tsx';
import { useHeldUpdates } from '../../../parts/live/use-held-updates.ts';
import { type DataColumn, DataTable } from '../../../parts/table/data-table.tsx';
import { ForeignText } from '../../../parts/text/foreign-text.tsx';
import { TimeText } from '../../../parts/time/time-text.tsx';
import { explainSilence } from '../explain-silence.ts';
import { automationPath, newAutomationPath } from '../paths.ts';
import { useFactorySource } from '../use-factory-source.ts';
import { describeTrigger } from './describe-trigger.ts';

/** What starts runs, and what does not at the moment. */
export function AutomationsPage() {
  const { factory, isRepository, mayEdit } = useFactorySource();
  const query = automationsQuery(factory);
  const { data, error, refetch } = useQuery(query);
  const { data: webhooks = [] } = useQuery(webhooksQuery(factory));
  const held = useHeldUpdates(['factory', factory, 'runs', 'last'], (event) => event.data.factory === factory);
  const add = <AddButton factory={factory} isRepository={isRepository} />;
  const mayAdd = mayEdit || isRepository;
  return (
    <>
      <PageHeader
        title="Automations"
        lead="Each starts a run when a delivery meets one of its triggers."
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
      {isRepository ? 'Draft an automation' : 'Add automation'}
    </Button>
  );
}

function NoAutomations({ isRepository, action }: { isRepository: boolean; action: ReactNode }) {
  return (
    <EmptyState icon={Zap} title="No automation yet" action={action}>
      {isRepository ? (
        <>
          Deliveries are accepted and start nothing. Add a file <code>automations/&lt;name&gt;/automation.md</code> to
          the repository: its triggers say which webhooks it listens to, its text is the prompt. Draft it here and try
          its filter on stored deliveries before you commit it.
        </>
      ) : (
        <>
          Deliveries are accepted and start nothing. An automation names the webhooks it listens to, the payloads it
          waits for, and the prompt that its runs get.
        </>
      )}
    </EmptyState>
  );
}

function listColumns(webhooks: readonly Webhook[]): DataColumn<Automation>[] {
  return [
    { header: 'Name', render: (automation) => <NameCell automation={automation} /> },
    { header: 'Starts on', render: (automation) => <TriggersCell {...{ automation, webhooks }} /> },
    { header: 'State', render: (automation) => <StateCell {...{ automation, webhooks }} /> },
    { header: 'Last run', render: (automation) => <LastRun automation={automation} /> },
  ];
}

function NameCell({ automation: { factory, name, description } }: { automation: Automation }) {
  return (
    <>
      <Anchor component={Link} href={automationPath(factory, name)} fw={600}>
        <ForeignText text={name} />
      </Anchor>
      {description !== null && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          <ForeignText text={description} />
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
          <ForeignText text={sentence} />
        </span>
      ))}
    </Stack>
  );
}

function StateCell({ automation, webhooks }: CellProps) {
  const [reason, ...others] = automation.enabled ? explainSilence(automation, webhooks) : [];
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge state={automation.enabled ? 'enabled' : 'disabled'} />
      {reason !== undefined && (
        <>
          <StatusBadge state="warning" label={others.length === 0 ? '1 warning' : `${others.length + 1} warnings`} />
          <Text size="xs" c="dimmed" lineClamp={2} maw={320}>
            <ForeignText text={reason} />
          </Text>
        </>
      )}
    </Stack>
  );
}

function LastRun({ automation: { factory, name } }: { automation: Automation }) {
  const { data } = useQuery(lastRunQuery(factory, name));
  if (data === undefined) return null;
  if (data === null) return 'never';
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge state={data.state} />
      <TimeText at={data.created_at} isFocusable={false} />
    </Stack>
  );
}
