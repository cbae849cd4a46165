import { Paper, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import type { Reconciliation } from '../../../client/api-types.ts';
import { formatDuration } from '../../../domain/words/quantities.ts';
import { reconciliationQuery } from '../../api/reconciliations.ts';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { CommitText } from '../../parts/text/commit-text.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { DiagnosticList } from './diagnostic-list.tsx';
import { isEmpty } from './plan-changes.ts';
import { PlanView } from './plan-view.tsx';
import { ReconcileNow } from './reconcile-now.tsx';
import { isLive, WhatNext } from './what-next.tsx';

/** One reconciliation: its result, findings and changes. */
export function ReconciliationPage() {
  const factory = useFactory();
  const { id = '' } = useParams<{ id: string }>();
  const { data: reconciliation } = useSuspenseQuery(reconciliationQuery(factory.name, id));
  const list = factoryPath(factory.name, 'reconciliations');
  return (
    <>
      <PageHeader
        title={reconciliation.reason_text.replace(/\.$/, '')}
        status={<StatusBadge state={reconciliation.result} />}
        trail={[{ label: 'Reconciliations', href: list }]}
        actions={<ReconcileNow factory={factory.name} />}
        lead={<Facts reconciliation={reconciliation} />}
      />
      <Stack gap="lg">
        {reconciliation.diagnostics.length === 0 && (
          <Message
            text={
              reconciliation.result === 'applied' && !isLive(reconciliation, factory)
                ? WAS_LIVE
                : reconciliation.message
            }
          />
        )}
        <WhatNext reconciliation={reconciliation} factory={factory} />
        {reconciliation.diagnostics.length > 0 && (
          <section aria-labelledby="findings">
            <Title order={2} size="h4" id="findings" mb="sm">
              Findings
            </Title>
            <DiagnosticList diagnostics={reconciliation.diagnostics} />
          </section>
        )}
        {!isEmpty(reconciliation.plan) && (
          <section aria-labelledby="changes">
            <Title order={2} size="h4" id="changes" mb="sm">
              {reconciliation.result === 'applied' ? 'Changes' : 'Changes that were not applied'}
            </Title>
            <PlanView plan={reconciliation.plan} />
          </section>
        )}
        {reconciliation.revision !== null && (
          <Text size="sm">
            <ObjectLink factory={factory.name} kind="commits" id={reconciliation.revision}>
              What happened with this commit, and which runs it started
            </ObjectLink>
          </Text>
        )}
      </Stack>
    </>
  );
}

/** Replaces the stored message, which describes the state when the reconciliation finished. */
const WAS_LIVE = 'This revision was applied. Another revision is live now.';

function Facts({ reconciliation }: { reconciliation: Reconciliation }) {
  const tookMs = Date.parse(reconciliation.finished_at) - Date.parse(reconciliation.started_at);
  return (
    <>
      {reconciliation.commit !== null && (
        <>
          <CommitText commit={reconciliation.commit} /> ·{' '}
        </>
      )}
      Revision <RevisionText revision={reconciliation.revision} /> · finished{' '}
      <TimeText at={reconciliation.finished_at} /> · took {formatDuration(tookMs)}
      {reconciliation.attempted_at !== reconciliation.finished_at && (
        <>
          {' '}
          · retried <TimeText at={reconciliation.attempted_at} />, same result
        </>
      )}
    </>
  );
}

/** Shown only without findings, which contain more details. */
function Message({ text }: { text: string }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <UntrustedText text={text} />
      </Text>
    </Paper>
  );
}
