import { Paper, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { NO_LABEL } from '../../../domain/words/deliveries.ts';
import { deliveryQuery } from '../../api/deliveries.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { StoryPanel } from '../../parts/story/story-panel.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { DeliveryContents, hasContents } from './delivery-detail.tsx';
import { ReplayDelivery } from './replay-delivery.tsx';

/** The page of one delivery. */
export function DeliveryPage() {
  const { name: factory } = useFactory();
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useQuery(deliveryQuery(factory, id));
  return (
    <>
      <PageHeader
        title={data?.delivery_id ?? id}
        tabTitle={`Delivery ${data?.delivery_id ?? id}`}
        trail={[{ label: 'Deliveries', href: factoryPath(factory, 'deliveries') }]}
        status={data !== undefined && <StatusBadge state={data.label ?? NO_LABEL} />}
        actions={data !== undefined && <ReplayDelivery delivery={data} />}
      />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Stack>
          <StoryPanel factory={factory} reference={id} watched={[id]} />
          {data !== undefined && hasContents(data) && (
            <Paper withBorder radius="lg" p="lg">
              <DeliveryContents delivery={data} />
            </Paper>
          )}
        </Stack>
      )}
    </>
  );
}
