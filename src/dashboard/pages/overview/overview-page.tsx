import { Alert, Anchor, Grid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { Link } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { factoriesQuery, readFactory, webhooksQuery } from '../../api/queries.ts';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { COUNT_PAUSES } from '../../parts/live/use-coalesced.ts';
import { useLiveActivity } from '../../parts/live/use-live-activity.ts';
import { useLiveParts } from '../../parts/live/use-live-parts.ts';
import { PauseButton } from '../../parts/pause/pause-button.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { NoWebhooks } from '../webhooks/no-webhooks.tsx';
import { ActivityCharts } from './activity-charts.tsx';
import { assessHealth, HEALTH_HOURS, type HealthFinding, type HealthState, listFindings } from './assess-health.ts';
import { listActiveConditions } from './describe-condition.ts';
import { AutomationHealthCard, SenderHealth } from './factory-health.tsx';
import { LiveDefinition } from './live-definition.tsx';
import { OpenAlerts } from './open-alerts.tsx';
import { ConditionAlerts, HealthFindings } from './overview-alerts.tsx';
import { PullRequestChecks } from './pull-request-checks.tsx';
import { RecentRejections } from './recent-rejections.tsx';
import { RemovedFactory } from './removed-factory.tsx';

/** Health, live definition, activity and recent rejections of a factory. */
export function OverviewPage() {
  const factory = useFactory();
  useLiveFactory(factory.name);
  const conditions = listActiveConditions(factory.conditions).filter(({ reason }) => reason !== 'NotConfigured');
  const { data: activity } = useLiveActivity(factory.name, HEALTH_HOURS);
  const { data: webhooks } = useQuery(webhooksQuery(factory.name));
  const findings = activity === undefined || webhooks === undefined ? null : listFindings(factory, activity, webhooks);
  const reconciliations = factoryPath(factory.name, 'reconciliations');
  return (
    <>
      <PageHeader
        title={factory.name}
        tabTitle="Overview"
        status={findings !== null && <HealthBadge factory={factory} findings={findings} />}
        actions={
          factory.configured && (
            <PauseButton target={{ factory: factory.name, automation: null }} pause={factory.pause} />
          )
        }
      />
      <Stack>
        {!factory.configured && <RemovedFactory factory={factory} />}
        {conditions.length > 0 && <ConditionAlerts conditions={conditions} factory={factory} />}
        <OpenAlerts factory={factory.name} />
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
        {factory.source?.pull_requests && <PullRequestChecks factory={factory.name} />}
        <AutomationHealthCard factory={factory} />
        <SenderHealth factory={factory} />
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

/** Hidden for a factory without webhooks, which cannot have received anything. */
function HealthBadge({ factory, findings }: { factory: Factory; findings: readonly HealthFinding[] }) {
  const state = assessHealth(factory, findings);
  if (state === 'healthy' && factory.counts.webhooks === 0) return null;
  return <StatusBadge state={state} label={HEALTH_WORDS[state]} />;
}

/** The next setup step for a factory without webhooks or automations. */
function NextStep({ factory }: { factory: Factory }) {
  const { name, applied_revision, counts } = factory;
  if (applied_revision === null) return null;
  if (counts.webhooks === 0) return <NoWebhooks factory={factory} />;
  if (counts.automations > 0) return null;
  return (
    <Alert color="blue" icon={<Zap />} title="Deliveries do not start runs yet">
      <Text size="sm">
        Deliveries are accepted and logged. Add an automation to start runs from them.{' '}
        <Anchor component={Link} href={factoryPath(name, 'automations')} size="sm" underline="always">
          View automations
        </Anchor>
      </Text>
    </Alert>
  );
}

/** Reads the counts and conditions of the factory again after events. The shell reads all factories after reconciliations. */
function useLiveFactory(factory: string): void {
  useLiveParts<Factory[], string>({
    queryKey: factoriesQuery.queryKey,
    pauses: COUNT_PAUSES,
    partOf: ({ type, data }) => (type !== 'reconciliation' && data.factory === factory ? factory : null),
    changeOf: async () => {
      const changed = await readFactory(factory);
      return (factories) => factories.map((one) => (one.name === changed.name ? changed : one));
    },
  });
}
