import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Activity } from '../../../client/api-types.ts';
import { HOUR_MS } from '../../api/activity.ts';
import type { DeliveryTime, TimeSpan } from '../../api/deliveries.ts';
import { type BarColumn, StackedBars } from '../../parts/chart/stacked-bars.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { useLiveActivity } from '../../parts/live/use-live-activity.ts';
import { factoryPath } from '../../paths.ts';
import { buildDeliveriesPath } from '../deliveries/delivery-filter.ts';

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;

type Bucket = Activity['buckets'][number];

const LABELS = [
  { name: 'Accepted', color: 'var(--mantine-color-teal-6)' },
  { name: 'Duplicate', color: 'var(--mantine-color-gray-5)' },
  { name: 'Rejected (auth)', color: 'var(--mantine-color-red-7)' },
  { name: 'Rejected (invalid JSON)', color: 'var(--mantine-color-orange-6)' },
  { name: 'Rejected (too large)', color: 'var(--mantine-color-yellow-5)' },
] as const satisfies readonly { name: keyof Bucket['deliveries']; color: string }[];

const STATES = [
  { name: 'succeeded', color: 'var(--mantine-color-teal-6)' },
  { name: 'failed', color: 'var(--mantine-color-red-7)' },
  { name: 'cancelled', color: 'var(--mantine-color-gray-5)' },
  { name: 'running', color: 'var(--mantine-color-blue-6)' },
  { name: 'queued', color: 'var(--mantine-color-blue-3)' },
] as const satisfies readonly { name: keyof Bucket['runs']; color: string }[];

/** Charts of deliveries and runs per hour. */
export function ActivityCharts({ factory }: { factory: string }) {
  const [hours, setHours] = useState(DAY_HOURS);
  const { data, error, refetch } = useLiveActivity(factory, hours);
  return (
    <SectionCard
      title="Hourly activity"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={String(hours)}
          onChange={(value) => setHours(Number(value))}
          data={[
            { value: String(DAY_HOURS), label: '24 hours' },
            { value: String(WEEK_HOURS), label: '7 days' },
          ]}
        />
      }
    >
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton height={340} />
      ) : (
        <Charts activity={data} factory={factory} span={hours === DAY_HOURS ? '24h' : '7d'} />
      )}
    </SectionCard>
  );
}

function Charts({ activity, factory, span }: { activity: Activity; factory: string; span: TimeSpan }) {
  const format = activity.buckets.length > DAY_HOURS ? formatDayAndHour : formatHour;
  const columnsOf = (count: (bucket: Bucket) => number[], hrefOf?: (bucket: Bucket) => string): BarColumn[] =>
    activity.buckets.map((bucket) => ({ label: format(bucket.start), counts: count(bucket), href: hrefOf?.(bucket) }));
  return (
    <Stack gap="xl">
      <div>
        <Text size="sm" fw={600} mb="xs">
          Deliveries by label
        </Text>
        <StackedBars
          title="Deliveries by label"
          series={LABELS.map((label) => ({
            ...label,
            href: buildDeliveriesPath(factory, { label: label.name, time: { kind: 'last', span } }),
          }))}
          columns={columnsOf(
            ({ deliveries }) => LABELS.map(({ name }) => deliveries[name]),
            ({ start }) => buildDeliveriesPath(factory, { time: describeHour(start) }),
          )}
        />
      </div>
      <div>
        <Text size="sm" fw={600} mb="xs">
          Runs by state
        </Text>
        <StackedBars
          title="Runs by state"
          series={STATES.map((state) => ({
            ...state,
            href: factoryPath(factory, `runs?state=${state.name}`),
          }))}
          columns={columnsOf(({ runs }) => STATES.map(({ name }) => runs[name]))}
        />
      </div>
    </Stack>
  );
}

function describeHour(start: string): DeliveryTime {
  return { kind: 'between', from: start, to: new Date(Date.parse(start) + HOUR_MS).toISOString() };
}

/** In the local time zone. */
function formatHour(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}

function formatDayAndHour(at: string): string {
  return new Date(at).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
}
