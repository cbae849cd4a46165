import type { Backtest } from '../../backtest.ts';
import type { WebhookUid } from '../../ids.ts';
import type { DeliveryFilter } from '../../trigger.ts';

/** A trigger that is tested before it is saved. */
export interface ProposedTrigger {
  listensTo: readonly WebhookUid[];
  /** A valid filter. */
  filter: DeliveryFilter;
}

/** Evaluates triggers that are not saved yet against stored deliveries. */
export interface Backtester {
  /** @param automation the applied automation whose triggers these would replace; `null` for a new one */
  backtest(factory: string, automation: string | null, triggers: readonly ProposedTrigger[]): Promise<Backtest>;
}
