import type { Backtest } from './backtest.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Plan } from './plan.ts';
import type { SourceTree } from './source-tree.ts';

/** A team secret that a definition names and that does not exist. */
export interface MissingSecret {
  name: string;
  /** Webhooks whose apply waits for it, and automations whose runs would fail without it. */
  webhooks: string[];
  automations: string[];
}

/** What an apply of a tree would do, or why it would not apply. */
export type PlanPreview =
  | { valid: false; diagnostics: Diagnostic[] }
  | {
      valid: true;
      /** What is live now, which the plan starts from. */
      appliedRevision: string | null;
      plan: Plan;
      /** The apply waits for those that webhooks name. */
      missingSecrets: MissingSecret[];
      /** Warnings, and what is missing. */
      diagnostics: Diagnostic[];
      backtest: Backtest;
    };

/** Computes what applying a tree would change; writes nothing. */
export interface PlanPreviewer {
  /**
   * @param mayCheckSecrets may findings tell of the values of secrets that this factory does not use yet? Length and
   * form of a value is little, but not for everybody
   */
  preview(factory: string, tree: SourceTree, mayCheckSecrets: boolean): Promise<PlanPreview>;
}
