import { Group, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { DeliveryTime } from '../../api/deliveries.ts';
import { formatLocalInstant, parseLocalInstant } from './local-instant.ts';
import { useDraft } from './use-draft.ts';

type Range = Extract<DeliveryTime, { kind: 'between' }>;

interface TimeRangeProps {
  range: Range;
  onChange: (range: Range) => void;
}

/** A time from one second to another, in the reader's zone. Either end may be open. */
export function TimeRange({ range, onChange }: TimeRangeProps) {
  const { from, to } = range;
  const isReversed = from !== null && to !== null && from >= to;
  return (
    <Group align="flex-start" gap="sm">
      <InstantField label="From" value={from} onChange={(at) => onChange({ ...range, from: at })} />
      <InstantField
        label="To"
        value={to}
        onChange={(at) => onChange({ ...range, to: at })}
        error={isReversed ? 'Ends before it begins' : undefined}
      />
      <Text size="sm" c="dimmed" mt={30}>
        Time zone: {Intl.DateTimeFormat().resolvedOptions().timeZone}
      </Text>
    </Group>
  );
}

interface InstantFieldProps {
  label: string;
  value: string | null;
  onChange: (at: string | null) => void;
  error?: string;
}

/** While somebody types, years like 0002 come by. */
const EARLIEST = '2000-01-01T00:00:00';
const PAUSE_MS = 800;

function InstantField({ label, value, onChange, error }: InstantFieldProps) {
  const counted = value === null ? '' : formatLocalInstant(value);
  const [text, setText] = useDraft(counted);
  const take = (field: HTMLInputElement) => {
    if (field.validity.valid && field.value !== counted) onChange(parseLocalInstant(field.value));
  };
  const takeSoon = useDebouncedCallback(take, PAUSE_MS);
  return (
    <TextInput
      type="datetime-local"
      step={1}
      min={EARLIEST}
      label={label}
      value={text}
      error={error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        takeSoon(currentTarget);
      }}
      onBlur={({ currentTarget }) => take(currentTarget)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && take(currentTarget)}
    />
  );
}
