import type { ReconciliationEnd } from '../../domain/applies/reconciliation.ts';
import { countOf } from '../../domain/words/quantities.ts';

/** More names do not fit on the line that `systemctl status` shows. */
const MAX_NAMES = 3;

/** Makes a listener that shows, after each pass, which factories are not reconciled. */
export function createFactoryStatus(
  listFactories: () => readonly { name: string }[],
  show: (text: string) => void,
): (pass: Pick<ReconciliationEnd, 'factory' | 'result' | 'reason'>) => void {
  const reasons = new Map<string, string | null>();
  return ({ factory, result, reason }) => {
    reasons.set(factory, result === 'invalid' || result === 'failed' ? reason : null);
    const names = listFactories().map(({ name }) => name);
    show(describeFactories(names, reasons));
  };
}

/** @param reasons of the last pass of each factory; `null` if it is reconciled */
function describeFactories(names: readonly string[], reasons: ReadonlyMap<string, string | null>): string {
  const total = countOf(names.length, 'factory', 'factories');
  const failing = names.filter((name) => reasons.get(name) !== null);
  if (failing.length === 0) return `${total} reconciled`;
  const shown = failing.slice(0, MAX_NAMES).map((name) => `${name} (${reasons.get(name) ?? 'no pass yet'})`);
  if (failing.length > MAX_NAMES) shown.push(`${failing.length - MAX_NAMES} more`);
  return `${total}, ${failing.length} not reconciled: ${shown.join(', ')}`;
}
