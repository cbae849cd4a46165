import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import { webhooksQuery } from '../../api/queries.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { useFactory } from '../../shell/context/current-factory.ts';
import { readDeliveryFilter, writeDeliveryFilter } from './delivery-filter.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { ReplayMatching } from './replay-matching.tsx';

/** The delivery log of a factory. */
export function DeliveriesPage() {
  const { name: factory } = useFactory();
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(factory));
  const [search, setSearch] = useSearchParams();
  const filter = readDeliveryFilter(search);
  const change = (changed: DeliveryFilter) => setSearch(writeDeliveryFilter(changed), { replace: true });
  return (
    <>
      <PageHeader
        title="Deliveries"
        lead="Requests that the webhooks of this factory received, and times at which schedules fired, newest first."
        actions={<ReplayMatching factory={factory} filter={filter} />}
      />
      {webhooks !== undefined && (
        <>
          <DeliveryFilters factory={factory} webhooks={webhooks} filter={filter} onChange={change} />
          <DeliveryTable factory={factory} webhooks={webhooks} filter={filter} onChange={change} />
        </>
      )}
      {webhooks === undefined && error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
    </>
  );
}
