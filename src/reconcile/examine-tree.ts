import type { ValidatedTree } from '../definitions/check/check-definition.ts';
import type { AppliedFactory } from '../domain/applies/applied.ts';
import { collectAgentFiles, type ReadAgentFiles } from '../domain/definitions/agent-files.ts';
import type { FactoryDefinition } from '../domain/definitions/definition.ts';
import { type Diagnostic, hasErrors } from '../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../domain/definitions/source-tree.ts';
import type { IdSource } from '../domain/ids.ts';
import type { HostedSource } from '../domain/ports/sources.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { FactoryContext } from './factory-context.ts';
import type { FactoryState } from './factory-state.ts';
import { type ComputedPlan, computePlan } from './plan/compute-plan.ts';
import { findUnchanged } from './plan/find-unchanged.ts';
import { type ReadableSecrets, type ResolvedSecrets, resolveSecrets } from './resolve-secrets.ts';

/** What examining takes: it only reads. A `FactoryContext` is one. */
export interface ExaminationContext {
  name: string;
  /** `null` where a repository decides. */
  hosted: Pick<HostedSource, 'keepsUids'> | null;
  state: Pick<FactoryState, 'applied' | 'origin' | 'results'>;
  secrets: ReadableSecrets;
  validate: FactoryContext['validate'];
  webhooksPerFactory: number;
  clock: Pick<Clock, 'wallMs'>;
  ids: Pick<IdSource, 'webhookUid'>;
}

/** What a valid tree declares, the secrets that this takes, and what applying it would change. */
interface PlannedTree {
  definition: FactoryDefinition;
  agentFiles: ReadAgentFiles;
  secrets: ResolvedSecrets;
  computed: ComputedPlan;
  /** Of what is live, and what the plan starts from. */
  applied: AppliedFactory;
  findings: Diagnostic[];
}

/** A tree that may apply; its findings are warnings. */
export type GoodTree = { ok: true } & PlannedTree;

/** A good tree but for secrets that the factory cannot use yet: in the plan each of them has its first version. */
export type WaitingTree = { ok: false; problem: 'missing' } & PlannedTree;

/** What keeps a tree from applying as it is: the files themselves, or the values of the secrets that they name. */
export interface BadTree {
  ok: false;
  problem: 'files' | 'unsuitable';
  findings: Diagnostic[];
}

interface ExaminationOptions {
  /** The revision that the tree is, or that it would be made on; `null` where it is only looked at. */
  revision: string | null;
  /** Replaces the store: the secrets that it will contain when the tree is applied. */
  secrets?: ReadableSecrets;
  /** Webhooks of a hosted factory whose secret is resolved again although nothing else about them changes. */
  renewSecretsOf?: ReadonlySet<string>;
  /** As in `resolveSecrets`; everything by default. */
  mayCheck?: (secretName: string, applied: AppliedFactory) => boolean;
}

/** What a plan is made of: the result of the validation, the UIDs that the source keeps, and the files that runs get. */
export interface ValidDefinition {
  validated: ValidatedTree;
  uids: SourceTree['uids'];
  agentFiles: ReadAgentFiles;
}

/**
 * Validates a tree, resolves its secrets and plans. Passes, edits and previews all use this function. Writes nothing.
 */
export async function examineTree(
  context: ExaminationContext,
  tree: SourceTree,
  options: ExaminationOptions,
): Promise<GoodTree | WaitingTree | BadTree> {
  return planDefinition(context, await validateDefinition(context, tree), options);
}

/** The first half of `examineTree`: all that depends on the files alone. */
export async function validateDefinition(context: ExaminationContext, tree: SourceTree): Promise<ValidDefinition> {
  const { state, webhooksPerFactory } = context;
  const knownUids = collectUids(await state.applied());
  const validated = await context.validate(tree, { webhooksPerFactory, knownUids }, state.results);
  return { validated, uids: tree.uids, agentFiles: collectAgentFiles(tree.entries) };
}

/** The second half: resolves secrets and plans. An edit that stores a secret does this again once it is committed. */
export async function planDefinition(
  context: ExaminationContext,
  { validated: { definition, diagnostics }, uids = new Map(), agentFiles }: ValidDefinition,
  { revision, secrets = context.secrets, renewSecretsOf = new Set(), mayCheck = () => true }: ExaminationOptions,
): Promise<GoodTree | WaitingTree | BadTree> {
  if (definition === null) return { ok: false, problem: 'files', findings: diagnostics };
  const applied = await context.state.applied();
  const kept = findUnchanged(definition, applied);
  for (const name of renewSecretsOf) kept.delete(name);
  const resolved = await resolveSecrets(context.name, definition, secrets, {
    kept: context.hosted && kept,
    mayCheck: (name) => mayCheck(name, applied),
  });
  const findings = [...diagnostics, ...resolved.diagnostics];
  const { problem } = resolved;
  if (problem === 'unsuitable') return { ok: false, problem, findings };
  const computed = computePlan({
    definition,
    applied,
    findings,
    revision,
    secrets: assumeVersions(definition, resolved.byWebhook),
    verifyTokens: resolved.verifyTokens,
    nowMs: context.clock.wallMs(),
    newUid: context.ids.webhookUid,
    keptUids: uids,
    origin: context.state.origin,
  });
  const all = [...findings, ...computed.warnings];
  // The settings of the factory may make an error of what only the inventory can tell.
  if (hasErrors(computed.warnings)) return { ok: false, problem: 'files', findings: all };
  const planned = { definition, agentFiles, applied, secrets: resolved, computed, findings: all };
  return problem === 'missing' ? { ok: false, problem: 'missing', ...planned } : { ok: true, ...planned };
}

/** A secret that does not exist yet will have its first version. */
function assumeVersions(
  { webhooks }: FactoryDefinition,
  known: ReadonlyMap<string, { version: number }>,
): Map<string, { version: number }> {
  return new Map(webhooks.map(({ name }) => [name, known.get(name) ?? { version: 1 }]));
}

/** Of several webhooks that had one name, the one that lives counts. */
function collectUids({ webhooks }: AppliedFactory): Map<string, string> {
  const uids = new Map<string, string>();
  for (const { name, uid, deletedAt } of webhooks) {
    if (deletedAt === null || !uids.has(name)) uids.set(name, uid);
  }
  return uids;
}
