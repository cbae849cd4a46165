import type { Backtest } from '../../backtest.ts';
import type { WebhookUid } from '../../ids.ts';
import type { JsonObject } from '../../json.ts';

/** A trigger to be tried before it is saved. */
export interface ProposedTrigger {
  listensTo: readonly WebhookUid[];
  /** A valid filter; `null` for none. */
  payload: JsonObject | null;
}

/** Puts stored deliveries before triggers that are not saved yet. */
export interface Backtester {
  /** @param automation the applied one whose triggers these would take the place of; `null` for a new one */
  backtest(factory: string, automation: string | null, triggers: readonly ProposedTrigger[]): Promise<Backtest>;
}
