import type { Backtest } from '../../backtest.ts';
import type { WebhookUid } from '../../ids.ts';
import type { JsonObject } from '../../json.ts';

/** A trigger that is tested before it is saved. */
export interface ProposedTrigger {
  listensTo: readonly WebhookUid[];
  /** A valid filter; `null` for none. */
  payload: JsonObject | null;
}

/** Evaluates triggers that are not saved yet against stored deliveries. */
export interface Backtester {
  /** @param automation the applied automation whose triggers these would replace; `null` for a new one */
  backtest(factory: string, automation: string | null, triggers: readonly ProposedTrigger[]): Promise<Backtest>;
}
