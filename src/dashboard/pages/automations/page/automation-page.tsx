import { Alert, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BellOff, FileCode2, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import type { Automation, Webhook } from '../../../../client/api-types.ts';
import { explainInactiveAutomation } from '../../../../domain/words/automations.ts';
import { describeResults } from '../../../../domain/words/recent-activity.ts';
import { automationQuery, type TaggedAutomation } from '../../../api/automations.ts';
import { webhooksQuery } from '../../../api/queries.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { CopyButton } from '../../../parts/copy/copy-button.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../../parts/layout/status-badge.tsx';
import { PauseAlert } from '../../../parts/pause/pause-alert.tsx';
import { PauseButton } from '../../../parts/pause/pause-button.tsx';
import { StoryPanel } from '../../../parts/story/story-panel.tsx';
import { CodeText } from '../../../parts/text/code-text.tsx';
import { CommitText } from '../../../parts/text/commit-text.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../../parts/time/time-text.tsx';
import { automationEditPath, factoryPath } from '../../../paths.ts';
import { executionOf, formatJson } from '../editor/automation-draft.ts';
import { useFactorySource } from '../use-factory-source.ts';
import { useLiveResults } from '../use-live-results.ts';
import { AutomationSwitches } from './automation-switches.tsx';
import { ProviderTriggerCard } from './provider-trigger-card.tsx';
import { ScheduleCard } from './schedule-card.tsx';
import { WebhookLink } from './webhook-link.tsx';

/** One automation: triggers, prompt, and where it is defined. */
export function AutomationPage() {
  const { factory, mayEdit } = useFactorySource();
  const name = decodeURIComponent(useParams<{ name: string }>().name);
  const query = automationQuery(factory, name);
  const { data, error, refetch } = useQuery(query);
  useLiveResults(query.queryKey, (run) => run.factory === factory && run.automation === name);
  const { data: webhooks = [] } = useQuery(webhooksQuery(factory));
  return (
    <>
      <PageHeader
        title={name}
        trail={[{ label: 'Automations', href: factoryPath(factory, 'automations') }]}
        status={data && <StatusBadge state={data.automation.enabled ? 'enabled' : 'disabled'} />}
        lead={data?.automation.description != null && <UntrustedText text={data.automation.description} />}
        actions={data && <Actions tagged={data} mayEdit={mayEdit} />}
      />
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <Details automation={data.automation} webhooks={webhooks} />}
    </>
  );
}

function Actions({ tagged, mayEdit }: { tagged: TaggedAutomation; mayEdit: boolean }) {
  const { factory, name } = tagged.automation;
  const edit = (
    <Button
      component={Link}
      href={automationEditPath(factory, name)}
      variant={mayEdit ? 'filled' : 'default'}
      leftSection={<Pencil size={15} />}
    >
      {mayEdit ? 'Edit' : 'Try changes'}
    </Button>
  );
  const pause = <PauseButton target={{ factory, automation: name }} pause={tagged.automation.pause} />;
  return mayEdit ? (
    <AutomationSwitches tagged={tagged}>
      {pause}
      {edit}
    </AutomationSwitches>
  ) : (
    <>
      {pause}
      {edit}
    </>
  );
}

interface DetailsProps {
  automation: Automation;
  webhooks: readonly Webhook[];
}

function Details({ automation, webhooks }: DetailsProps) {
  const execution = executionOf(automation);
  const hasExecution = Object.keys(execution).length > 0;
  return (
    <Stack gap="xl">
      {automation.pause !== null && <PauseAlert pause={automation.pause} />}
      <Warnings automation={automation} webhooks={webhooks} />
      <DefinedIn automation={automation} />
      <StoryPanel
        factory={automation.factory}
        reference={`automation:${automation.name}`}
        watched={[automation.name]}
      />
      <Section title="Triggers">
        {automation.triggers.map((trigger, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no other identity and never move here
          <TriggerCard key={i} number={i + 1} trigger={trigger} webhooks={webhooks} automation={automation} />
        ))}
      </Section>
      <Section title="Prompt">
        <CodeBlock code={automation.prompt} what="prompt" wraps />
      </Section>
      <Section title="Execution">
        <Text size="sm">
          Agent: {automation.agent === null ? 'foreman (default)' : <CodeText text={automation.agent} />}
          {hasExecution && ', with these overrides and this run policy:'}
        </Text>
        {hasExecution && <CodeBlock code={formatJson(execution)} what="overrides and run policy" />}
        <LastRunLine automation={automation} />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** Why deliveries do not start the automation, and the warnings of the last apply with advice. */
function Warnings({ automation, webhooks }: DetailsProps) {
  const { isInactive, reasons } = explainInactiveAutomation(automation, webhooks);
  if (reasons.length + automation.warnings.length === 0) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      radius="md"
      icon={<BellOff />}
      title={isInactive ? 'No delivery starts this automation' : 'Needs attention'}
    >
      <List size="sm" spacing={6}>
        {reasons.map((reason) => (
          <List.Item key={reason}>
            <UntrustedText text={reason} />
          </List.Item>
        ))}
        {automation.warnings.map(({ message, hint, file, line }) => (
          <List.Item key={message}>
            <UntrustedText text={message} />
            <Text size="sm" c="dimmed">
              <UntrustedText text={hint} /> {automation.file !== null && <CodeText text={`${file}:${line}`} />}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** The file with the definition, if the factory is managed in Git. */
function DefinedIn({ automation: { file, revision, commit, updated_at } }: { automation: Automation }) {
  const { source, isRepository } = useFactorySource();
  if (!isRepository || file === null) {
    return (
      <Text size="sm" c="dimmed">
        Last changed <TimeText at={updated_at} />
      </Text>
    );
  }
  return (
    <Alert color="gray" variant="light" radius="md" icon={<FileCode2 />} title="Managed in Git">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        To change it, edit <CodeText text={file} />
        {source?.branch != null && (
          <>
            {' '}
            on the branch <CodeText text={source.branch} />
          </>
        )}{' '}
        and commit. Last changed by commit <CodeText text={(revision ?? '').slice(0, 12)} />, applied{' '}
        <TimeText at={updated_at} />.
        {commit !== null && (
          <>
            {' '}
            <CommitText commit={commit} />
          </>
        )}
      </Text>
    </Alert>
  );
}

interface TriggerCardProps {
  number: number;
  trigger: Automation['triggers'][number];
  webhooks: readonly Webhook[];
  automation: Automation;
}

function TriggerCard({ number, trigger, webhooks, automation: { factory, file } }: TriggerCardProps) {
  const { isRepository } = useFactorySource();
  if ('service' in trigger) {
    if (trigger.ticks !== undefined) return <ScheduleCard ticks={trigger.ticks} factory={factory} />;
    return <ProviderTriggerCard number={number} trigger={trigger} webhooks={webhooks} factory={factory} />;
  }
  return (
    <Paper withBorder radius="lg" p="md">
      <Text size="sm" mb="xs">
        Webhook received from{' '}
        {trigger.listens_to.map((uid, i) => (
          <span key={uid}>
            {i > 0 && ', '}
            <WebhookLink uid={uid} webhooks={webhooks} factory={factory} />
          </span>
        ))}
        {trigger.listens_to.length === 0 ? 'a webhook that does not exist' : !isFiltered(trigger) && ', every delivery'}
        {isFiltered(trigger) ? ', when headers and payload match' : '.'}
      </Text>
      {trigger.filter.headers !== null && (
        <CodeBlock code={formatJson(trigger.filter.headers)} what={`filter of headers of trigger ${number}`} />
      )}
      {trigger.filter.payload !== null && (
        <CodeBlock code={formatJson(trigger.filter.payload)} what={`payload filter of trigger ${number}`} />
      )}
      {isRepository && file !== null && trigger.line !== null && (
        <Group mt="xs" gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            Defined in <UntrustedText text={`${file}:${trigger.line}`} />
          </Text>
          <CopyButton value={`${file}:${trigger.line}`} what={`location of trigger ${number}`} />
        </Group>
      )}
    </Paper>
  );
}

function LastRunLine({ automation }: { automation: Automation }) {
  const { last_run: last } = automation.results;
  return (
    <Stack gap={4}>
      <Text size="sm" component="div">
        {last === null ? (
          'No run has ended yet.'
        ) : (
          <>
            Last run <TimeText at={last.finished_at} /> <StatusBadge state={last.state} />
          </>
        )}
      </Text>
      <ResultsText automation={automation} />
    </Stack>
  );
}

/** How the last runs ended, and how long the oldest queued one waits. */
function ResultsText({ automation: { results, oldest_queued_at: queuedAt } }: { automation: Automation }) {
  const text = describeResults(results);
  return (
    <>
      {text !== null && (
        <Text size="sm" c={results.failing_since === null ? undefined : 'var(--mantine-color-error)'} component="div">
          Results: {text}
          {results.failing_since !== null && (
            <>
              . Failing since <TimeText at={results.failing_since} />
            </>
          )}
        </Text>
      )}
      {queuedAt !== null && (
        <Text size="sm" component="div">
          Oldest queued run: <TimeText at={queuedAt} />
        </Text>
      )}
    </>
  );
}

function isFiltered({ filter }: Exclude<Automation['triggers'][number], { service: unknown }>): boolean {
  return filter.headers !== null || filter.payload !== null;
}
