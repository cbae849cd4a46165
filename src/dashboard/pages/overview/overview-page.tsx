import { Anchor, Grid, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { PageHeader } from '../../parts/page-header.tsx';
import { SectionCard } from '../../parts/section-card.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useFactory } from '../../shell/current-factory.ts';
import { ActivityCharts } from './activity-charts.tsx';
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
  const reconciliations = `/factories/${encodeURIComponent(factory.name)}/reconciliations`;
  return (
    <>
      <PageHeader
        title={factory.name}
        tabTitle="Overview"
        status={
          troubles.length === 0 && factory.counts.webhooks > 0 && <StatusBadge state="applied" label="all is well" />
        }
      />
      <Stack>
        {troubles.length > 0 && <Troubles troubles={troubles} factory={factory} />}
        <NextStep factory={factory} />
        <Grid>
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <ActivityCharts factory={factory.name} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <SectionCard
              title="What is live"
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
