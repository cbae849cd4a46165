import { Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import { webhooksQuery } from '../../api/queries.ts';
import type { Webhook } from '../../api/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useFactory } from '../../shell/current-factory.ts';
import { readDeliveryFilter, writeDeliveryFilter } from './delivery-filter.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable } from './delivery-table.tsx';

/** What senders posted, newest first, and what came of it. */
export function DeliveriesPage() {
  const { name: factory } = useFactory();
  const { data: webhooks } = useSuspenseQuery(webhooksQuery(factory));
  const [search, setSearch] = useSearchParams();
  const newest = findBusiest(webhooks);
  const filter = readDeliveryFilter(search, newest?.uid ?? null);
  return (
    <>
      <PageHeader title="Deliveries" lead="What senders posted, newest first, and what came of it." />
      {filter === null ? (
        <NoWebhook factory={factory} />
      ) : (
        <>
          <DeliveryFilters
            webhooks={webhooks}
            filter={filter}
            onChange={(changed) => setSearch(writeDeliveryFilter(changed), { replace: true })}
          />
          <DeliveryTable
            key={filter.webhook}
            factory={factory}
            filter={filter}
            webhook={webhooks.find(({ uid }) => uid === filter.webhook)}
          />
        </>
      )}
    </>
  );
}

/** The webhook that heard something last, or else the first. */
function findBusiest(webhooks: readonly Webhook[]): Webhook | undefined {
  return [...webhooks].sort((a, b) => (b.last_delivery_at ?? '').localeCompare(a.last_delivery_at ?? ''))[0];
}

function NoWebhook({ factory }: { factory: string }) {
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhook yet"
      action={
        <Button component={Link} href={`/factories/${encodeURIComponent(factory)}/webhooks`}>
          To the webhooks
        </Button>
      }
    >
      Deliveries are what senders post to a webhook. Add one, give its URL to a sender, and each delivery appears here.
    </EmptyState>
  );
}
