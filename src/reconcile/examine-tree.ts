import type { AppliedFactory } from '../core/applied.ts';
import type { FactoryDefinition } from '../core/definition.ts';
import { type Diagnostic, hasErrors } from '../core/diagnostic.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { SourceTree } from '../core/source-tree.ts';
import { type ComputedPlan, computePlan } from '../plan/compute-plan.ts';
import { findUnchanged } from '../plan/find-unchanged.ts';
import type { FactoryContext } from './factory-context.ts';
import { type ResolvedSecrets, resolveSecrets } from './resolve-secrets.ts';

/** A tree that may apply: what it declares, the secrets that this takes, and what applying it would change. */
export interface GoodTree {
  ok: true;
  definition: FactoryDefinition;
  secrets: ResolvedSecrets;
  computed: ComputedPlan;
  /** Warnings. */
  findings: Diagnostic[];
}

/** What keeps a tree from applying: the files themselves, or the secrets that they name. */
export interface BadTree {
  ok: false;
  problem: 'files' | 'missing' | 'unsuitable';
  findings: Diagnostic[];
}

export interface ExaminationOptions {
  /** The revision that the tree is, or that it would be made on. */
  revision: string;
  /** In place of the store: what it will hold by the time the tree applies. */
  secrets?: SecretStore;
  /** Webhooks of a service-hosted factory whose secret is resolved anew although nothing else about them changes. */
  renewSecretsOf?: ReadonlySet<string>;
}

/** Validates a tree, resolves its secrets and plans: all that has to be good before it may apply. Writes nothing. */
export async function examineTree(
  context: FactoryContext,
  tree: SourceTree,
  { revision, secrets = context.secrets, renewSecretsOf = new Set() }: ExaminationOptions,
): Promise<GoodTree | BadTree> {
  const applied = (await context.inventory.load(context.name))!;
  const { definition, diagnostics } = await context.validate(tree, {
    webhooksPerFactory: context.webhooksPerFactory,
    knownUids: collectUids(applied),
  });
  if (definition === null) return { ok: false, problem: 'files', findings: diagnostics };
  const kept = findUnchanged(definition, applied);
  for (const name of renewSecretsOf) kept.delete(name);
  const resolved = await resolveSecrets(definition, secrets, {
    hosted: context.hosted && { kept, open: secrets.open },
  });
  const findings = [...diagnostics, ...resolved.diagnostics];
  if (resolved.problem !== null) return { ok: false, problem: resolved.problem, findings };
  const computed = computePlan({
    ...{ definition, applied, findings, revision },
    secrets: resolved.byWebhook,
    verifyTokens: resolved.verifyTokens,
    nowMs: context.clock.wallMs(),
    newUid: context.ids.webhookUid,
    keptUids: tree.uids ?? new Map(),
  });
  const all = [...findings, ...computed.warnings];
  // The settings of the factory may make an error of what only the inventory can tell.
  if (hasErrors(computed.warnings)) return { ok: false, problem: 'files', findings: all };
  return { ok: true, definition, secrets: resolved, computed, findings: all };
}

/** Of several webhooks that had one name, the one that lives counts. */
export function collectUids({ webhooks }: AppliedFactory): Map<string, string> {
  const uids = new Map<string, string>();
  for (const { name, uid, deletedAt } of webhooks) {
    if (deletedAt === null || !uids.has(name)) uids.set(name, uid);
  }
  return uids;
}
