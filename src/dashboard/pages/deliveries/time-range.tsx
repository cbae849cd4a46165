import { Group, Text } from '@mantine/core';
import type { DeliveryTime } from '../../api/deliveries.ts';
import { InstantField } from '../../parts/time/instant-field.tsx';

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
