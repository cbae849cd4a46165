/** Benchmarks in the order of the tables in `docs/performance.md`. Each is a file `bench/NAME.ts`. */
export const NAMES = [
  'ingress',
  'reconcile',
  'start',
  'filters',
  'signatures',
  'definitions',
  'backtest',
  'retention',
  'dashboard',
  'profile',
] as const;

export type BenchName = (typeof NAMES)[number];

export function isBenchName(name: string | undefined): name is BenchName {
  return (NAMES as readonly (string | undefined)[]).includes(name);
}
