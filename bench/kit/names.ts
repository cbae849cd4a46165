/** Benchmarks in the order of the tables in `docs/performance.md`. Each is a file `bench/NAME.ts`. */
export const NAMES = [
  'ingress',
  'compare',
  'reconcile',
  'start',
  'filters',
  'signatures',
  'definitions',
  'backtest',
  'retention',
  'dashboard',
  'profile',
  'overload',
  'replicas',
  'claims',
  'partitions',
  'followers',
  'soak',
] as const;

export type BenchName = (typeof NAMES)[number];

/** Benchmarks that `all` does not run: one takes longer than all others together, the other needs a second checkout. */
export const SEPARATE: readonly BenchName[] = ['soak', 'compare'];

export function isBenchName(name: string | undefined): name is BenchName {
  return (NAMES as readonly (string | undefined)[]).includes(name);
}
