import { Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Delivery, Webhook } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { type FilterSubject, storedDeliveriesQuery, type TestedFilter, testFilter } from '../../../api/automations.ts';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { formatLocalTime } from '../../../parts/time/format-time.ts';
import { useFactory } from '../../../shell/context/current-factory.ts';
import { FilterResult } from './filter-result.tsx';
import { LazyPlainJsonEditor } from './lazy-editors.ts';
import { parseFilter } from './parse-filter.ts';

interface FilterTesterProps {
  /** Text of the payload filter. */
  filter: string;
  /** Text of the filter of headers. */
  headers: string;
  /** UIDs of the webhooks of the trigger. */
  uids: string[];
  webhooks: readonly Webhook[];
}

const DEBOUNCE_MS = 300;

/** Tests a filter with a stored delivery or a pasted payload. After the first test it follows every change. */
export function FilterTester({ filter, headers, uids, webhooks }: FilterTesterProps) {
  const [isAsked, setIsAsked] = useState(false);
  const [source, setSource] = useState<'stored' | 'pasted'>('stored');
  const [pasted, setPasted] = useState('');
  const stored = useStoredChoice(uids);
  const subject = source === 'stored' ? stored.subject : subjectOf(pasted);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="Test with"
          value={source}
          onChange={(value) => setSource(value === 'stored' ? 'stored' : 'pasted')}
          data={[
            { value: 'stored', label: 'Stored delivery' },
            { value: 'pasted', label: 'Pasted payload' },
          ]}
        />
        <Button
          size="xs"
          variant="light"
          leftSection={<FlaskConical size={15} />}
          disabled={subject === null || [filter, headers].some((text) => parseFilter(text).kind === 'broken')}
          onClick={() => setIsAsked(true)}
        >
          Test filter
        </Button>
      </Group>
      {source === 'stored' ? (
        <StoredDeliveries {...stored} webhooks={webhooks} hasWebhooks={uids.length > 0} />
      ) : (
        <Suspense>
          <LazyPlainJsonEditor
            label="Payload"
            description="JSON as a sender posts it."
            initialText={pasted}
            onChange={setPasted}
          />
        </Suspense>
      )}
      {isAsked && subject !== null && <Answer filter={filter} headers={headers} subject={subject} />}
    </Stack>
  );
}

function subjectOf(text: string): FilterSubject | null {
  const parsed = parseFilter(text);
  return parsed.kind === 'filter' ? { payload: parsed.filter } : null;
}

/** The selected delivery; by default the most recent one. */
function useStoredChoice(uids: readonly string[]) {
  const { name: factory } = useFactory();
  const { data, error } = useQuery(storedDeliveriesQuery(factory, uids));
  const [chosen, setChosen] = useState<string | null>(null);
  const delivery = data?.find(({ id }) => id === chosen) ?? data?.[0] ?? null;
  const subject: FilterSubject | null = delivery === null ? null : { delivery: delivery.id };
  return { deliveries: data, error, delivery, subject, setChosen };
}

interface StoredDeliveriesProps extends ReturnType<typeof useStoredChoice> {
  webhooks: readonly Webhook[];
  hasWebhooks: boolean;
}

function StoredDeliveries({ deliveries, error, delivery, setChosen, webhooks, hasWebhooks }: StoredDeliveriesProps) {
  if (error !== null) return <ErrorPanel error={error} />;
  if (!hasWebhooks) return <Hint>Select a webhook to list its recent deliveries.</Hint>;
  if (deliveries?.length === 0) {
    return <Hint>No accepted deliveries yet. Send a delivery, or paste a payload.</Hint>;
  }
  return (
    <Select
      label="Delivery"
      description="Most recent accepted deliveries."
      value={delivery?.id ?? null}
      onChange={setChosen}
      allowDeselect={false}
      data={(deliveries ?? []).map((one) => ({ value: one.id, label: labelDelivery(one, webhooks) }))}
    />
  );
}

function labelDelivery({ id, received_at, webhook_uid, size }: Delivery, webhooks: readonly Webhook[]): string {
  const name = webhooks.find(({ uid }) => uid === webhook_uid)?.name ?? webhook_uid;
  return `${escapeText(name)}, ${formatLocalTime(received_at)}, ${size} bytes, ${id}`;
}

function Hint({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

function Answer({ filter, headers, subject }: { filter: string; headers: string; subject: FilterSubject }) {
  const { name: factory } = useFactory();
  const [settled] = useDebouncedValue({ filter, headers }, DEBOUNCE_MS);
  const [payload, named] = [parseFilter(settled.filter), parseFilter(settled.headers)];
  const tested: TestedFilter = {
    filter: payload.kind === 'filter' ? payload.filter : {},
    ...(named.kind === 'filter' ? { headers_filter: named.filter } : {}),
  };
  const { data, error } = useQuery({
    queryKey: ['factory', factory, 'filter-test', tested, subject],
    queryFn: () => testFilter(factory, tested, subject),
    enabled: payload.kind !== 'broken' && named.kind !== 'broken',
    placeholderData: keepPreviousData,
  });
  return (
    <div role="status" aria-label="Test result">
      {error !== null ? <ErrorPanel error={error} /> : data !== undefined && <FilterResult result={data} />}
    </div>
  );
}
