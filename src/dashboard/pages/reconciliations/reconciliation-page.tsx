import { Paper, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { formatDuration } from '../../../words/duration.ts';
import { reconciliationQuery } from '../../api/reconciliations.ts';
import type { Reconciliation } from '../../api/types.ts';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { useFactory } from '../../shell/context/current-factory.ts';
import { DiagnosticList } from './diagnostic-list.tsx';
import { isEmpty } from './plan-changes.ts';
import { PlanView } from './plan-view.tsx';
import { ReconcileNow } from './reconcile-now.tsx';
import { isLive, WhatNext } from './what-next.tsx';

/** One pass: what came of it, what was found, what changed. */
export function ReconciliationPage() {
  const factory = useFactory();
  const { id = '' } = useParams<{ id: string }>();
  const { data: pass } = useSuspenseQuery(reconciliationQuery(factory.name, id));
  const list = `/factories/${encodeURIComponent(factory.name)}/reconciliations`;
  return (
    <>
      <PageHeader
        title={pass.reason_text.replace(/\.$/, '')}
        status={<StatusBadge state={pass.result} />}
        trail={[{ label: 'Reconciliations', href: list }]}
        actions={<ReconcileNow factory={factory.name} />}
        lead={<Facts pass={pass} />}
      />
      <Stack gap="lg">
        {pass.diagnostics.length === 0 && (
          <Message text={pass.result === 'applied' && !isLive(pass, factory) ? WAS_LIVE : pass.message} />
        )}
        <WhatNext pass={pass} factory={factory} />
        {pass.diagnostics.length > 0 && (
          <section aria-labelledby="findings">
            <Title order={2} size="h4" id="findings" mb="sm">
              Findings
            </Title>
            <DiagnosticList diagnostics={pass.diagnostics} />
          </section>
        )}
        {!isEmpty(pass.plan) && (
          <section aria-labelledby="changes">
            <Title order={2} size="h4" id="changes" mb="sm">
              {pass.result === 'applied' ? 'What changed' : 'What would have changed'}
            </Title>
            <PlanView plan={pass.plan} />
          </section>
        )}
      </Stack>
    </>
  );
}

/** The message of the pass is of the moment that it ended. */
const WAS_LIVE = 'This revision was applied. Another revision is live now.';

function Facts({ pass }: { pass: Reconciliation }) {
  const tookMs = Date.parse(pass.finished_at) - Date.parse(pass.started_at);
  return (
    <>
      Revision <RevisionText revision={pass.revision} /> · ended <TimeText at={pass.finished_at} /> · took{' '}
      {formatDuration(tookMs)}
      {pass.attempted_at !== pass.finished_at && (
        <>
          {' '}
          · tried again <TimeText at={pass.attempted_at} />, with the same outcome
        </>
      )}
    </>
  );
}

/** Where there are findings they say it all. */
function Message({ text }: { text: string }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <ForeignText text={text} />
      </Text>
    </Paper>
  );
}
