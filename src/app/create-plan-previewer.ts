import type { PlanPreviewer } from '../core/plan-preview.ts';
import type { Backtester } from '../core/ports/backtester.ts';
import { DEFAULT_BOUNDS } from '../plan/backtest.ts';
import { backtestTriggers } from '../reconcile/backtest-triggers.ts';
import { previewPlan } from '../reconcile/preview-plan.ts';
import type { DefinitionsThread } from './definitions-thread.ts';
import type { Foundation } from './open-foundation.ts';

/** Looks ahead for one asker at a time: a backtest takes a share of the processor, and several must not take all of it. */
export function createPlanPreviewer(
  { config, storage, secrets, clock }: Foundation,
  definitions: Pick<DefinitionsThread, 'validate'>,
): PlanPreviewer & Backtester {
  const types = new Map(config.factories.map(({ name, source }) => [name, source.type]));
  const context = {
    ...{ inventory: storage.inventory, payloads: storage.storedPayloads, secrets, clock, bounds: DEFAULT_BOUNDS },
    validate: definitions.validate.bind(definitions),
    webhooksPerFactory: config.limits.webhooksPerFactory,
    hostOf: (factory: string) => {
      const type = types.get(factory) ?? 'repository';
      return type === 'repository' ? null : { keepsUids: type === 'live' };
    },
  };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  return {
    preview: (factory, tree, mayJudgeSecrets) => inTurn(() => previewPlan(context, { factory, tree, mayJudgeSecrets })),
    backtest: (factory, automation, triggers) =>
      inTurn(() => backtestTriggers(context, { factory, automation, triggers })),
  };
}
