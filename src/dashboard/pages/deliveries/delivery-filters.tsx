import { Group, Select } from '@mantine/core';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import type { DeliveryLabel, Webhook } from '../../api/types.ts';
import { escapeText } from '../../parts/escape-text.ts';
import { DELIVERY_LABELS } from './delivery-filter.ts';

interface DeliveryFiltersProps {
  webhooks: readonly Webhook[];
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}

/** Which deliveries are listed. */
export function DeliveryFilters({ webhooks, filter, onChange }: DeliveryFiltersProps) {
  return (
    <Group mb="lg" align="flex-end" role="search" aria-label="Deliveries">
      <Select
        label="Webhook"
        data={listWebhooks(webhooks, filter.webhook)}
        value={filter.webhook}
        onChange={(webhook) => webhook !== null && onChange({ ...filter, webhook })}
        allowDeselect={false}
        searchable={webhooks.length > 8}
      />
      <Select
        label="Label"
        placeholder="all"
        data={[...DELIVERY_LABELS]}
        value={filter.label}
        onChange={(label) => onChange({ ...filter, label: label as DeliveryLabel | null })}
        clearable
        clearButtonProps={{ 'aria-label': 'All labels' }}
      />
    </Group>
  );
}

/** The log of a deleted webhook can still be read by its UID. */
function listWebhooks(webhooks: readonly Webhook[], chosen: string) {
  const known = webhooks.map(({ uid, name }) => ({ value: uid, label: escapeText(name) }));
  return known.some(({ value }) => value === chosen)
    ? known
    : [...known, { value: chosen, label: `deleted: ${escapeText(chosen)}` }];
}
