import type { Backtest } from '../domain/applies/backtest.ts';
import type { WebhookUid } from '../domain/ids.ts';
import type { ProposedTrigger } from '../domain/ports/delivery-control.ts';
import type { StoredPayloads } from '../domain/ports/delivery-log.ts';
import type { Inventory } from '../domain/ports/inventory.ts';
import type { Clock } from '../domain/time/clock.ts';
import { type BacktestBounds, runBacktest } from './plan/backtest.ts';
import { collectFilters, collectOpenFilters, listOpen, type StartingFilters } from './plan/trigger-changes.ts';

/** What trying triggers needs. */
interface TrialContext {
  inventory: Pick<Inventory, 'load'>;
  payloads: StoredPayloads;
  bounds: BacktestBounds;
  clock: Clock;
}

/** What is tried, and in whose place. */
export interface TriggerTrial {
  factory: string;
  /** `null` for a new automation. */
  automation: string | null;
  triggers: readonly ProposedTrigger[];
}

/**
 * Evaluates stored deliveries with unsaved triggers, compared with the applied ones that they would replace. Applied
 * triggers of a disabled automation start nothing. If the automation would be disabled, the caller passes no triggers.
 */
export async function backtestTriggers(context: TrialContext, trial: TriggerTrial): Promise<Backtest> {
  const applied = await context.inventory.load(trial.factory);
  const open = listOpen(applied?.webhooks ?? []);
  const current = applied?.automations.find(({ name }) => name === trial.automation);
  const before: StartingFilters = current === undefined ? new Map() : collectFilters(current, open);
  const { backtest } = await runBacktest(
    { ...context, nowMs: context.clock.wallMs(), monotonicMs: () => context.clock.monotonicMs() },
    [{ automation: trial.automation ?? '', before, after: collectProposed(trial.triggers, open) }],
  );
  return backtest;
}

function collectProposed(triggers: readonly ProposedTrigger[], open: ReadonlySet<WebhookUid>): StartingFilters {
  const listening = {
    triggers: triggers.map(({ filter: { payload = null, ...headers } }) => ({
      provider: 'webhook' as const,
      payload,
      ...headers,
    })),
    listensTo: triggers.map(({ listensTo }) => listensTo),
  };
  return collectOpenFilters(listening, open);
}
