import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { describeAcceptance, describeResults } from '../../../domain/words/recent-activity.ts';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { objectPath } from '../../paths.ts';
import { TrafficCell } from '../webhooks/traffic-text.tsx';

type Health = Factory['health'];
type WebhookHealth = Health['webhooks'][number];

/** Whether the sender of each webhook gets through. Hidden for a factory without webhooks. */
export function SenderHealth({ factory: { name, health } }: { factory: Factory }) {
  if (health.webhooks.length === 0) return null;
  return (
    <SectionCard title="Senders">
      <DataTable label="Senders" columns={listSenderColumns(name)} rows={health.webhooks} rowKey={({ uid }) => uid} />
    </SectionCard>
  );
}

function listSenderColumns(factory: string): DataColumn<WebhookHealth>[] {
  return [
    {
      header: 'Webhook',
      render: ({ uid, name }) => (
        <ObjectLink factory={factory} kind="webhooks" id={uid}>
          <UntrustedText text={name} />
        </ObjectLink>
      ),
    },
    { header: 'State', render: ({ enabled }) => <StatusBadge state={enabled ? 'enabled' : 'disabled'} /> },
    { header: 'Last accepted', render: ({ traffic }) => <TrafficCell traffic={traffic} /> },
    { header: 'Requests', render: ({ traffic }) => describeAcceptance(traffic) },
  ];
}

interface AutomationHealth {
  name: string;
  results: Health['failed_automations'][number]['results'] | null;
  oldestQueuedAt: string | null;
}

/** Automations with failed or queued runs. Hidden if there are none. */
export function AutomationHealthCard({ factory: { name, health } }: { factory: Factory }) {
  const rows = listAutomations(health);
  if (rows.length === 0) return null;
  return (
    <SectionCard title="Automations with failed or queued runs">
      <DataTable
        label="Automations with failed or queued runs"
        columns={listAutomationColumns(name)}
        rows={rows}
        rowKey={(row) => row.name}
      />
    </SectionCard>
  );
}

function listAutomations({ failed_automations, queue }: Health): AutomationHealth[] {
  const queuedAt = new Map(queue.map(({ automation, oldest_queued_at }) => [automation, oldest_queued_at]));
  const failed = failed_automations.map(({ name, results }) => ({
    name,
    results,
    oldestQueuedAt: queuedAt.get(name) ?? null,
  }));
  const names = new Set(failed.map(({ name }) => name));
  const queued = queue
    .filter(({ automation }) => !names.has(automation))
    .map(({ automation, oldest_queued_at }) => ({ name: automation, results: null, oldestQueuedAt: oldest_queued_at }));
  return [...failed, ...queued];
}

function listAutomationColumns(factory: string): DataColumn<AutomationHealth>[] {
  return [
    {
      header: 'Automation',
      render: ({ name }) => (
        <Anchor component={Link} href={objectPath(factory, 'automations', name)} size="sm">
          <UntrustedText text={name} />
        </Anchor>
      ),
    },
    { header: 'Runs', render: ({ results }) => results && describeResults(results) },
    {
      header: 'Last run',
      render: ({ results }) =>
        results?.last_run && (
          <>
            <StatusBadge state={results.last_run.state} />{' '}
            <TimeText at={results.last_run.finished_at} isFocusable={false} />
          </>
        ),
    },
    {
      header: 'Oldest queued',
      render: ({ oldestQueuedAt }) => oldestQueuedAt && <TimeText at={oldestQueuedAt} isFocusable={false} />,
    },
  ];
}
