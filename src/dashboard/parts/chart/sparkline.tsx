import classes from './sparkline.module.css';

interface SparklineProps {
  counts: readonly number[];
  /** Completes the accessible name after the sum, for example "deliveries in 24 hours". */
  what: string;
}

const HEIGHT = 24;
const STEP = 4;

/** A small bar chart of counts over time, for a table cell. */
export function Sparkline({ counts, what }: SparklineProps) {
  const highest = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const width = counts.length * STEP;
  return (
    <span className={classes.spark}>
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${total} ${what}`}>
        {counts.map((count, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
          <Bar key={i} x={i * STEP} share={count / highest} />
        ))}
      </svg>
      <span aria-hidden>{total}</span>
    </span>
  );
}

/** A count of zero is a thin line. */
function Bar({ x, share }: { x: number; share: number }) {
  const height = share === 0 ? 1 : Math.max(3, share * HEIGHT);
  const className = share === 0 ? classes.none : classes.some;
  return <rect className={className} x={x} y={HEIGHT - height} width={STEP - 1} height={height} />;
}
