import { Button, Checkbox, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeliveryLabel, Webhook } from '../../../client/api-types.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { type DeliveryFilter, type DeliveryTime, TIME_SPANS_MS, type TimeSpan } from '../../api/deliveries.ts';
import { webhookQuery } from '../../api/queries.ts';
import { SearchSelect } from '../../parts/form/search-select.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { InstantField } from '../../parts/time/instant-field.tsx';
import classes from './deliveries.module.css';
import { DELIVERY_LABELS, NO_FILTER } from './delivery-filter.ts';
import { DeliverySearch } from './delivery-search.tsx';

interface DeliveryFiltersProps {
  factory: string;
  webhooks: readonly Webhook[];
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}

/** Filters of the delivery log. */
export function DeliveryFilters({ factory, webhooks, filter, onChange }: DeliveryFiltersProps) {
  const change = (part: Partial<DeliveryFilter>) => onChange({ ...filter, ...part });
  const isOpen = Object.values(filter).every((part) => part === null);
  return (
    <search className={classes.filters} aria-label="Deliveries">
      <div className={classes.filterRow}>
        <DeliverySearch factory={factory} value={filter.deliveryId} onSearch={(deliveryId) => change({ deliveryId })} />
        <SearchSelect
          label="Webhook"
          placeholder="All"
          data={useWebhookChoices(factory, webhooks, filter.webhook)}
          value={filter.webhook}
          onChange={(webhook) => change({ webhook })}
          clearable
          clearButtonProps={{ 'aria-label': 'All webhooks' }}
          searchable={webhooks.length > 8}
        />
        <Select
          label="Label"
          placeholder="All"
          data={[...DELIVERY_LABELS]}
          value={filter.label}
          onChange={(label) => change({ label: label as DeliveryLabel | null })}
          clearable
          clearButtonProps={{ 'aria-label': 'All labels' }}
        />
        <Select
          label="Time"
          placeholder="Any"
          data={TIME_CHOICES}
          value={filter.time?.kind === 'last' ? filter.time.span : (filter.time?.kind ?? null)}
          onChange={(choice) => change({ time: chooseTime(choice, filter.time) })}
          clearable
          clearButtonProps={{ 'aria-label': 'Any time' }}
        />
        <Button variant="subtle" color="gray" data-hidden={isOpen || undefined} onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      </div>
      <Group align="center">
        <TextFilter
          label="Event"
          placeholder="Such as pull_request"
          value={filter.event}
          onSearch={(event) => change({ event })}
        />
        <TextFilter
          label="Payload or header contains"
          placeholder="Exact text"
          value={filter.text}
          onSearch={(text) => change({ text })}
        />
        <Checkbox
          label="Started no run"
          checked={filter.unmatched === true}
          onChange={({ currentTarget }) => change({ unmatched: currentTarget.checked || null })}
        />
      </Group>
      {filter.time?.kind === 'between' && (
        <TimeRange
          range={filter.time}
          onChange={(time) => change({ time: time.from === null && time.to === null ? null : time })}
        />
      )}
    </search>
  );
}

interface TextFilterProps {
  label: string;
  placeholder: string;
  value: string | null;
  onSearch: (text: string | null) => void;
}

/** A text to search. Searched with Enter, or when the field is left. */
function TextFilter({ label, placeholder, value, onSearch }: TextFilterProps) {
  const [text, setText] = useDraft(value ?? '');
  const search = () => {
    const wanted = text === '' ? null : text;
    if (wanted !== value) onSearch(wanted);
  };
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={search}
      onKeyDown={({ key }) => key === 'Enter' && search()}
    />
  );
}

const SPAN_WORDS: Readonly<Record<TimeSpan, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
};

const TIME_CHOICES = [
  ...Object.entries(SPAN_WORDS).map(([value, label]) => ({ value, label })),
  { value: 'between', label: 'Custom range' },
];

/** A custom range starts at the start of the previous range, so that there is a value to change. */
function chooseTime(choice: string | null, before: DeliveryTime | null): DeliveryTime | null {
  if (choice === null) return null;
  if (choice !== 'between') return { kind: 'last', span: choice as TimeSpan };
  const spanMs = TIME_SPANS_MS[before?.kind === 'last' ? before.span : '24h'];
  const fromMs = Math.floor((Date.now() - spanMs) / 60_000) * 60_000;
  return { kind: 'between', from: new Date(fromMs).toISOString(), to: null };
}

/** Includes the UID of a deleted webhook if it is selected. */
function useWebhookChoices(factory: string, webhooks: readonly Webhook[], chosen: string | null) {
  const isUnlisted = chosen !== null && webhooks.every(({ uid }) => uid !== chosen);
  const { data } = useQuery({ ...webhookQuery(factory, chosen ?? ''), enabled: isUnlisted });
  const choices = webhooks.map(({ uid, name }) => ({ value: uid, label: escapeText(name) }));
  if (!isUnlisted) return choices;
  const label = data === undefined ? chosen : nameUnlisted(data.webhook);
  return [...choices, { value: chosen, label: escapeText(label) }];
}

function nameUnlisted({ name, deleted_at }: Webhook): string {
  return deleted_at === null ? name : `${name} (deleted)`;
}

type Range = Extract<DeliveryTime, { kind: 'between' }>;

interface TimeRangeProps {
  range: Range;
  onChange: (range: Range) => void;
}

/** A time range to the second, in the local time zone. Either end may be open. */
function TimeRange({ range, onChange }: TimeRangeProps) {
  const { from, to } = range;
  const isReversed = from !== null && to !== null && from >= to;
  return (
    <Group align="flex-start" gap="sm">
      <InstantField label="From" value={from} onChange={(at) => onChange({ ...range, from: at })} />
      <InstantField
        label="To"
        value={to}
        onChange={(at) => onChange({ ...range, to: at })}
        error={isReversed ? 'The end must be after the start' : undefined}
      />
      <Text size="sm" c="dimmed" mt={30}>
        Time zone: {Intl.DateTimeFormat().resolvedOptions().timeZone}
      </Text>
    </Group>
  );
}
