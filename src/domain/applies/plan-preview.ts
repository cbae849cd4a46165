import type { Diagnostic } from '../definitions/diagnostic.ts';
import type { SourceTree } from '../definitions/source-tree.ts';
import type { TriggerService } from '../definitions/trigger.ts';
import type { Backtest } from './backtest.ts';
import type { FileChanges, Plan } from './plan.ts';

/** A team secret that a definition names and that the factory cannot use: it does not exist, or has another scope. */
export interface MissingSecret {
  name: string;
  /** Webhooks whose apply waits for the secret, and automations whose runs would fail without it. */
  webhooks: string[];
  automations: string[];
}

/** What starts a trigger. */
export interface PlannedTrigger extends TriggerService {
  /** The first times at which its schedule fires if the plan is applied now; empty for other triggers. */
  nextAt: number[];
}

/** The plan of an apply of a tree, or the diagnostics that prevent it. */
export type PlanPreview =
  | { valid: false; diagnostics: Diagnostic[] }
  | {
      valid: true;
      /** The live revision, which the plan is compared with. */
      appliedRevision: string | null;
      plan: Plan;
      /** What starts the triggers of automations that are created or changed, and the schedules of others. */
      triggers: PlannedTrigger[];
      /** Changes of the files that runs get. */
      agentFiles: FileChanges;
      /** The apply waits for the secrets that webhooks name. */
      missingSecrets: MissingSecret[];
      /** Warnings and missing references. */
      diagnostics: Diagnostic[];
      backtest: Backtest;
    };

/** Computes the changes that applying a tree would make; writes nothing. */
export interface PlanPreviewer {
  /**
   * @param mayCheckSecrets whether diagnostics may reveal the length and form of secrets that this factory does not use
   * yet. Only permitted users may see them.
   */
  preview(factory: string, tree: SourceTree, mayCheckSecrets: boolean): Promise<PlanPreview>;
}
