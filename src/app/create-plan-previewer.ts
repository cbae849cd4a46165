import type { PlanPreview, PlanPreviewer } from '../core/plan-preview.ts';
import { DEFAULT_BOUNDS } from '../plan/backtest.ts';
import { previewPlan } from '../reconcile/preview-plan.ts';
import type { DefinitionsThread } from './definitions-thread.ts';
import type { Foundation } from './open-foundation.ts';

/** Looks ahead for one asker at a time: a backtest takes a share of the processor, and several must not take all of it. */
export function createPlanPreviewer(
  { config, storage, secrets, clock }: Foundation,
  definitions: Pick<DefinitionsThread, 'validate'>,
): PlanPreviewer {
  const context = {
    ...{ inventory: storage.inventory, payloads: storage.storedPayloads, secrets, clock, bounds: DEFAULT_BOUNDS },
    validate: definitions.validate.bind(definitions),
    webhooksPerFactory: config.limits.webhooksPerFactory,
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    preview: (factory, tree, mayJudgeSecrets) => {
      const preview: Promise<PlanPreview> = last.then(() => previewPlan(context, { factory, tree, mayJudgeSecrets }));
      last = preview.catch(() => {});
      return preview;
    },
  };
}
