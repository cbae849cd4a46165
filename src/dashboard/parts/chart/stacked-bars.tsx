import { Anchor, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import classes from './stacked-bars.module.css';

/** One series of a stacked bar chart. */
interface BarSeries {
  name: string;
  /** CSS color. */
  color: string;
  /** Link to the list of the counted objects. */
  href?: string;
}

export interface BarColumn {
  /** For example "14:00". */
  label: string;
  /** One count per series, in the same order. */
  counts: readonly number[];
  /** Link to the list of the counted objects. */
  href?: string;
}

interface StackedBarsProps {
  /** For example "Deliveries". */
  title: string;
  series: readonly BarSeries[];
  columns: readonly BarColumn[];
}

/** A stacked bar chart of counts over time. Screen readers get the numbers as a table. */
export function StackedBars({ title, series, columns }: StackedBarsProps) {
  const highest = Math.max(1, ...columns.map(sumOf));
  const isEmpty = columns.every((column) => sumOf(column) === 0);
  return (
    <figure className={classes.figure}>
      <div className={classes.plot} aria-hidden>
        <Text className={classes.highest} size="xs" c="dimmed">
          {isEmpty ? '' : highest}
        </Text>
        <div className={classes.columns}>
          {columns.map((column) => (
            <Column key={column.label} column={column} series={series} highest={highest} />
          ))}
        </div>
        <Group justify="space-between" mt={4}>
          {pickTicks(columns).map(({ label }) => (
            <Text key={label} size="xs" c="dimmed">
              {label}
            </Text>
          ))}
        </Group>
      </div>
      <Legend series={series} columns={columns} />
      <VisuallyHidden>
        <NumbersTable title={title} series={series} columns={columns} />
      </VisuallyHidden>
    </figure>
  );
}

function Column({ column, series, highest }: { column: BarColumn; series: readonly BarSeries[]; highest: number }) {
  const bars = series.map(({ name, color }, i) => {
    const count = column.counts[i] ?? 0;
    if (count === 0) return null;
    return <div key={name} style={{ height: `${(count / highest) * 100}%`, minHeight: 2, background: color }} />;
  });
  return (
    <Tooltip.Floating label={describeColumn(column, series)} multiline position="top" className={classes.tip}>
      {column.href === undefined || sumOf(column) === 0 ? (
        <div className={classes.column}>{bars}</div>
      ) : (
        // Pointer only: keyboard users reach the same list through the legend.
        <Link className={classes.column} href={column.href} tabIndex={-1}>
          {bars}
        </Link>
      )}
    </Tooltip.Floating>
  );
}

function describeColumn({ label, counts }: BarColumn, series: readonly BarSeries[]): string {
  const parts = series.flatMap(({ name }, i) => ((counts[i] ?? 0) > 0 ? [`${name}: ${counts[i]}`] : []));
  return [label, ...(parts.length === 0 ? ['none'] : parts)].join('\n');
}

/** Series without any count are omitted, to keep the legend short. */
function Legend({ series, columns }: Pick<StackedBarsProps, 'series' | 'columns'>) {
  const totals = series.map((one, i) => ({ ...one, total: totalOf(columns, i) }));
  const seen = totals.filter(({ total }) => total > 0);
  return (
    <Group component="figcaption" gap="md" mt="sm">
      {seen.length === 0 && (
        <Text size="sm" c="dimmed">
          None in this period.
        </Text>
      )}
      {seen.map(({ name, color, href, total }) => (
        <Group key={name} gap={6}>
          <span className={classes.key} style={{ background: color }} />
          <Text size="sm">
            {href === undefined ? (
              name
            ) : (
              <Anchor component={Link} href={href} inherit c="inherit">
                {name}
              </Anchor>
            )}{' '}
            <strong>{total}</strong>
          </Text>
        </Group>
      ))}
    </Group>
  );
}

function NumbersTable({ title, series, columns }: StackedBarsProps) {
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th>Time</th>
          {series.map(({ name }) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {columns
          .filter((column) => sumOf(column) > 0)
          .map(({ label, counts }) => (
            <tr key={label}>
              <td>{label}</td>
              {series.map(({ name }, i) => (
                <td key={name}>{counts[i] ?? 0}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function pickTicks(columns: readonly BarColumn[]): BarColumn[] {
  const indexes = [0, Math.floor(columns.length / 2), columns.length - 1];
  return [...new Set(indexes)].flatMap((i) => columns[i] ?? []);
}

function sumOf({ counts }: BarColumn): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function totalOf(columns: readonly BarColumn[], i: number): number {
  return columns.reduce((sum, { counts }) => sum + (counts[i] ?? 0), 0);
}
