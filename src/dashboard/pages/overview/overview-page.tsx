import { Anchor, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { activityQuery } from '../../api/activity.ts';
import { webhooksQuery } from '../../api/queries.ts';
import type { Factory } from '../../api/types.ts';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { useFactory } from '../../shell/context/current-factory.ts';
import { ActivityCharts } from './activity-charts.tsx';
import { assessHealth, HEALTH_HOURS, type HealthFinding, type HealthState, listFindings } from './assess-health.ts';
import { HealthFindings } from './health-findings.tsx';
import { listTroubles } from './list-troubles.ts';
import { LiveDefinition } from './live-definition.tsx';
import { NextStep } from './next-step.tsx';
import { RecentRejections } from './recent-rejections.tsx';
import { Troubles } from './troubles.tsx';
import { useFreshOverview } from './use-fresh-overview.ts';

/** What is wrong, what is live, what came in and what needs a look. */
export function OverviewPage() {
  const factory = useFactory();
  useFreshOverview(factory.name);
  const troubles = listTroubles(factory.conditions);
  const { data: activity } = useQuery(activityQuery(factory.name, HEALTH_HOURS));
  const { data: webhooks } = useQuery(webhooksQuery(factory.name));
  const findings = activity === undefined || webhooks === undefined ? null : listFindings(factory, activity, webhooks);
  const reconciliations = `/factories/${encodeURIComponent(factory.name)}/reconciliations`;
  return (
    <>
      <PageHeader
        title={factory.name}
        tabTitle="Overview"
        status={findings !== null && <HealthBadge factory={factory} findings={findings} />}
      />
      <Stack>
        {troubles.length > 0 && <Troubles troubles={troubles} factory={factory} />}
        <HealthFindings findings={findings ?? []} />
        <NextStep factory={factory} />
        <Grid>
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <ActivityCharts factory={factory.name} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <SectionCard
              title="Live definition"
              actions={
                <Anchor component={Link} href={reconciliations} size="sm">
                  History
                </Anchor>
              }
            >
              <LiveDefinition factory={factory} />
            </SectionCard>
          </Grid.Col>
        </Grid>
        <RecentRejections factory={factory.name} />
      </Stack>
    </>
  );
}

const HEALTH_WORDS: Readonly<Record<HealthState, string>> = {
  healthy: 'Healthy',
  degraded: 'Degraded',
  failing: 'Failing',
};

/** Nothing is said of a factory that cannot have received anything yet. */
function HealthBadge({ factory, findings }: { factory: Factory; findings: readonly HealthFinding[] }) {
  const state = assessHealth(factory, findings);
  if (state === 'healthy' && factory.counts.webhooks === 0) return null;
  return <StatusBadge state={state} label={HEALTH_WORDS[state]} />;
}
