// The room from a commit to a live definition. docs/architecture/commit-to-live.md follows a pass.
// In: a source (`source/git-source.ts`), or an edit (`edit/factory-editor.ts`). Out: rows and live webhooks
// (`serve-factory.ts`), a stored result, the happening `reconciled`.
// This file is the list of the steps of a pass. Around it: `reconciler.ts`, the loop of one factory; `create-reconcilers.ts`,
// all loops; `thread/start-reconcile-thread.ts`, the thread with the loops. Its steps: `examine-tree.ts`,
// `resolve-secrets.ts`, `plan/compute-plan.ts`. What people ask without an apply: `inspection/create-inspector.ts`,
// `pull-requests/create-request-checks.ts`, `plan-report/present-plan.ts`.

import { describeRejectedTree } from '../definitions/check/unread-tree.ts';
import type { AppliedFactory } from '../domain/applies/applied.ts';
import { EMPTY_PLAN, type Plan } from '../domain/applies/plan.ts';
import {
  type Commit,
  type Condition,
  type FactoryStatus,
  HISTORY_REWRITTEN,
  type Reconciliation,
  type ReconciliationResult,
} from '../domain/applies/reconciliation.ts';
import type { AgentFileSet, ReadAgentFiles } from '../domain/definitions/agent-files.ts';
import type { Diagnostic } from '../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../domain/definitions/source-tree.ts';
import { AppError } from '../domain/errors.ts';
import type { AppliedChange, WebhookRow } from '../domain/ports/inventory.ts';
import type { SourceFailure, SourceResult } from '../domain/ports/sources.ts';
import type { RuleId } from '../domain/rules.ts';
import { auditApply } from './audit-apply.ts';
import { beginHosted } from './begin-hosted.ts';
import { describePass } from './conditions.ts';
import {
  type BadTree,
  type GoodTree,
  planDefinition,
  type ValidDefinition,
  validateDefinition,
  type WaitingTree,
} from './examine-tree.ts';
import type { FactoryContext, PassOrder, PassTrigger } from './factory-context.ts';
import { PassTimes } from './pass-times.ts';
import { stampRevision } from './plan/compute-plan.ts';
import { applyAndServe } from './serve-factory.ts';
import { summariseFindings } from './summarise-findings.ts';

/** A pass in progress. */
interface Pass extends PassOrder {
  startedAt: number;
  /** The commit it looks at, once that is known. */
  revision: string | null;
  /** Who made it; `null` if it is not known. */
  commit: Commit | null;
  /** What is worth knowing about how the branch got there; `''` for nothing. */
  note: string;
  times: PassTimes;
}

/** How a pass ended. */
interface Ending {
  revision: string | null;
  result: ReconciliationResult;
  reason: string;
  message: string;
  diagnostics: Diagnostic[];
  plan: Plan;
}

/**
 * One full pass: fetch, validate, resolve secrets, plan, apply, swap. If any step fails, the last good definition stays live
 * and the reconciliation records the reason. Rejects only if the reconciliation cannot be recorded, or with the reason of
 * `stopping` if that aborted the pass.
 */
export function reconcileFactory(context: FactoryContext, order: PassOrder): Promise<Reconciliation> {
  return runPass(context, order, { revision: null, commit: null }, (pass) => carryOut(context, pass));
}

/**
 * The rest of a pass whose revision is committed and validated already: an edit. Rejects like `reconcileFactory`.
 *
 * @param definition the result of validating exactly that revision
 */
export function applyRevision(
  context: FactoryContext,
  order: PassOrder,
  { revision, commit }: { revision: string; commit: Commit },
  definition: ValidDefinition,
): Promise<Reconciliation> {
  const begin = { revision, commit };
  return runPass(context, order, begin, (pass) => planAndApply(context, pass, revision, definition));
}

/**
 * The end of a pass whose revision is committed, and was planned before: an edit that stores no secret. Rejects like
 * `reconcileFactory`.
 *
 * @param planned the plan of exactly that revision, before it had one
 */
export function applyPlanned(
  context: FactoryContext,
  order: PassOrder,
  { revision, commit }: { revision: string; commit: Commit },
  planned: GoodTree,
): Promise<Reconciliation> {
  const computed = stampRevision(planned.computed, revision);
  const begin = { revision, commit };
  return runPass(context, order, begin, (pass) => applyPlan(context, pass, revision, { ...planned, computed }));
}

async function runPass(
  context: FactoryContext,
  order: PassOrder,
  begin: Pick<Pass, 'revision' | 'commit'>,
  work: (pass: Pass) => Promise<Reconciliation>,
): Promise<Reconciliation> {
  const times = new PassTimes(context.clock);
  const pass: Pass = { ...order, ...begin, startedAt: context.clock.wallMs(), note: '', times };
  const reconciliation = await endPass(context, pass, work);
  const { startedAt, pushes = [] } = pass;
  context.onTimedPass(times.describe(reconciliation, { startedAt, pushes }));
  return reconciliation;
}

async function endPass(
  context: FactoryContext,
  pass: Pass,
  work: (pass: Pass) => Promise<Reconciliation>,
): Promise<Reconciliation> {
  try {
    return await work(pass);
  } catch (error) {
    // What was written is not known, so nothing that is remembered counts.
    context.state.forget();
    pass.stopping.throwIfAborted();
    context.logger.error(
      { factory: context.name, revision: pass.revision, err: error },
      'reconciliation failed with an internal error',
    );
    return recordEnding(context, pass, failUnexpectedly(pass.revision, error)).catch((failure) => {
      context.state.forget();
      throw failure;
    });
  }
}

async function carryOut(context: FactoryContext, pass: Pass): Promise<Reconciliation> {
  const fetched = await pass.times.measure('fetch', () => fetchNewest(context));
  pass.revision = fetched.revision ?? null;
  if (!fetched.ok) return recordEnding(context, pass, rejectTree(pass.revision, fetched.reason, fetched.message));

  const { revision } = fetched;
  pass.commit = await context.source.describe(revision);
  pass.note = await noteRewrite(context, revision);
  const known = await findKnownEnding(context, revision, pass.trigger);
  if (known !== null) return recordEnding(context, pass, known);

  const validated = await pass.times.measure('validate', () => readAndValidate(context, revision));
  if (!validated.ok) return recordEnding(context, pass, rejectTree(revision, validated.reason, validated.message));
  return planAndApply(context, pass, revision, validated.definition);
}

async function planAndApply(
  context: FactoryContext,
  pass: Pass,
  revision: string,
  definition: ValidDefinition,
): Promise<Reconciliation> {
  const { renewSecretsOf = new Set() } = pass;
  const examined = await pass.times.measure('plan', () =>
    planDefinition(context, definition, { revision, renewSecretsOf }),
  );
  if (!examined.ok) return recordEnding(context, pass, rejectDefinition(revision, examined));
  return applyPlan(context, pass, revision, examined);
}

/** A hosted source has nothing to fetch. */
async function fetchNewest(context: FactoryContext): Promise<SourceResult<{ revision: string }>> {
  const { source, hosted } = context;
  return hosted === null ? source.fetch() : { ok: true, revision: await beginHosted(context, hosted) };
}

async function readAndValidate(
  context: FactoryContext,
  revision: string,
): Promise<SourceResult<{ definition: ValidDefinition }>> {
  const read = await readTree(context, revision);
  return read.ok ? { ok: true, definition: await validateDefinition(context, read.tree) } : read;
}

/** Reads only files without a kept result. A hosted definition is read whole, and kept for the next edit. */
async function readTree(
  { source, hosted, state }: FactoryContext,
  revision: string,
): Promise<SourceResult<{ tree: SourceTree }>> {
  if (hosted === null) return source.readTree(revision, await state.knownFiles());
  const read = await source.readTree(revision);
  if (read.ok) state.tree = { revision, tree: read.tree };
  return read;
}

/** A force-push takes effect like any push, but the log and the message of the pass show it. */
async function noteRewrite({ state, source, sourceKey, name, logger }: FactoryContext, revision: string) {
  const status = await state.status();
  const previous = status?.attemptedRevision ?? null;
  if (previous === null || previous === revision || status?.appliedSource !== sourceKey) return '';
  if ((await source.contains(revision, previous)) !== 'no') return '';
  logger.warn({ factory: name, revision, previous }, 'history rewritten');
  return `${HISTORY_REWRITTEN}: it no longer contains ${previous}`;
}

/** The commit is live already, or was found invalid and nobody asks for another look. */
async function findKnownEnding(
  { state, sourceKey }: FactoryContext,
  revision: string,
  trigger: PassTrigger,
): Promise<Ending | null> {
  const status = await state.status();
  if (status === null) return null;
  if (status.appliedRevision === revision && status.appliedSource === sourceKey) {
    return end(revision, 'unchanged', 'Unchanged', `${revision} is live`);
  }
  if (trigger === 'asked' || status.attemptedRevision !== revision) return null;
  const last = await state.lastAttempt();
  return last?.result === 'invalid' && last.revision === revision ? last : null;
}

/** A secret that a sender supplied after the plan stays: the definition is planned again from what is stored. */
async function applyPlan(
  context: FactoryContext,
  pass: Pass,
  revision: string,
  planned: GoodTree,
): Promise<Reconciliation> {
  try {
    return await writePlan(context, pass, revision, planned);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    context.state.forget();
    const validated = await readAndValidate(context, revision);
    if (!validated.ok) return recordEnding(context, pass, rejectTree(revision, validated.reason, validated.message));
    return planAndApply(context, pass, revision, validated.definition);
  }
}

/** Everything in one transaction: rows, history, applied and attempted revision, conditions. Then the swap. */
async function writePlan(
  context: FactoryContext,
  pass: Pass,
  revision: string,
  { definition, agentFiles, applied, secrets, computed, findings }: GoodTree,
): Promise<Reconciliation> {
  const ending = end(revision, 'applied', 'Applied', `${revision} is live`);
  const reconciliation = composeReconciliation(context, pass, {
    ...ending,
    plan: computed.plan,
    diagnostics: findings,
  });
  const willBeLive = (name: string) => definition.webhooks.some((webhook) => webhook.enabled && webhook.name === name);
  const status = await context.state.status();
  const change: AppliedChange = {
    factory: context.name,
    revision,
    source: context.sourceKey,
    at: reconciliation.finishedAt,
    webhooks: computed.webhooks,
    plannedFrom: listPins(applied, computed.webhooks),
    deleteWebhooks: computed.deleteWebhooks,
    automations: computed.automations,
    remarks: computed.remarks,
    deleteAutomations: computed.deleteAutomations,
    agentFiles: omitStored(agentFiles, applied.agentFiles),
    reconciliation,
    conditions: describe(context, status, { pass, liveRevision: revision, reconciliation, isLive: willBeLive }),
    audit: auditApply(context.ids, {
      actor: pass.actor ?? null,
      reconciliation,
      before: applied.webhooks,
      computed,
    }),
  };
  const numbers = await pass.times.measure('apply', () =>
    applyAndServe(context, applied, { change, computed, secrets }),
  );
  context.state.noteApplied(change, { definition, computed }, numbers);
  return reconciliation;
}

/** The pinned versions of the written webhooks that exist. */
function listPins({ webhooks }: AppliedFactory, written: readonly WebhookRow[]): AppliedChange['plannedFrom'] {
  const uids = new Set(written.map(({ uid }) => uid));
  return webhooks.filter(({ uid }) => uids.has(uid)).map(({ uid, secretVersion }) => [uid, secretVersion]);
}

/** Without the contents that the storage has. */
function omitStored({ set, contents }: ReadAgentFiles, stored: AgentFileSet): ReadAgentFiles {
  const known = new Set(stored.files.map(({ digest }) => digest));
  return { set, contents: new Map([...contents].filter(([digest]) => !known.has(digest))) };
}

/** A pass that applied nothing. */
async function recordEnding(context: FactoryContext, pass: Pass, ending: Ending): Promise<Reconciliation> {
  if (ending.result === 'failed') pass.stopping.throwIfAborted();
  const reconciliation = composeReconciliation(context, pass, ending);
  const status = await context.state.status();
  const { webhooks } = await context.state.applied();
  const isLive = (name: string) =>
    webhooks.some((each) => each.name === name && each.enabled && each.deletedAt === null);
  const liveRevision = status?.appliedRevision ?? null;
  const conditions = describe(context, status, { pass, liveRevision, reconciliation, isLive });
  const recorded = await record(context, reconciliation, conditions);
  context.state.noteAttempt(recorded, conditions);
  return recorded;
}

/** Passes in a row with the same outcome are one row of the history. Returns that row. */
async function record(
  { state, inventory }: FactoryContext,
  reconciliation: Reconciliation,
  conditions: Condition[],
): Promise<Reconciliation> {
  const last = await state.lastAttempt();
  if (last === null || !isSameOutcome(last, reconciliation)) {
    await inventory.recordAttempt(reconciliation, conditions);
    return reconciliation;
  }
  const { attemptedAt } = reconciliation;
  await inventory.renewAttempt({ id: last.id, factory: last.factory, attemptedAt }, conditions);
  return { ...last, attemptedAt };
}

function isSameOutcome(a: Reconciliation, b: Reconciliation): boolean {
  const digest = ({ revision, result, reason, diagnostics }: Reconciliation) =>
    JSON.stringify([revision, result, reason, diagnostics]);
  return digest(a) === digest(b);
}

/** What the conditions describe: a pass with its result, and what is live after it. */
interface Described {
  pass: Pass;
  liveRevision: string | null;
  reconciliation: Reconciliation;
  isLive(webhook: string): boolean;
}

function describe(
  { hasExecutor, pushWebhook }: FactoryContext,
  status: FactoryStatus | null,
  { pass, ...after }: Described,
): Condition[] {
  const isSameCommit = pass.revision === null || pass.revision === status?.attemptedRevision;
  const ended = { ...after, hasExecutor, pushWebhook, note: pass.note, isSameCommit };
  return describePass(ended, status?.conditions ?? []);
}

function composeReconciliation(
  { name, clock, ids }: FactoryContext,
  { startedAt, commit, note }: Pass,
  ending: Ending,
): Reconciliation {
  const { revision, result, reason, diagnostics, plan } = ending;
  const message = note === '' ? ending.message : `${ending.message}; ${note}`;
  const finishedAt = clock.wallMs();
  return {
    id: ids.reconciliationId(startedAt),
    factory: name,
    revision,
    commit,
    result,
    reason,
    message,
    diagnostics,
    plan,
    startedAt,
    finishedAt,
    attemptedAt: finishedAt,
  };
}

function end(revision: string | null, result: ReconciliationResult, reason: string, message: string): Ending {
  return { revision, result, reason, message, diagnostics: [], plan: EMPTY_PLAN };
}

function fail(revision: string | null, reason: string, message: string): Ending {
  return end(revision, 'failed', reason, message);
}

/** Unexpected errors are only logged, because their message may contain anything. */
function failUnexpectedly(revision: string | null, error: unknown): Ending {
  if (!(error instanceof AppError)) {
    return fail(revision, 'InternalError', 'the pass failed with an internal error; see the log of the daemon');
  }
  if (error.code === 'source_unavailable') return fail(revision, 'RepositoryUnreachable', error.message);
  return fail(revision, error.code.startsWith('storage_') ? 'StorageFailed' : 'InternalError', error.message);
}

/** An untrusted commit, or a tree that is too large or unsupported, waits for a new commit. Other failures are git's. */
function rejectTree(revision: string | null, reason: SourceFailure, message: string): Ending {
  if (reason === 'CommitUntrusted') return end(revision, 'invalid', reason, message);
  if (reason !== 'TreeTooLarge' && reason !== 'TreeOdd') return fail(revision, reason, message);
  return { ...end(revision, 'invalid', reason, message), diagnostics: [describeRejectedTree(reason, message)] };
}

function rejectDefinition(revision: string, { problem, findings }: BadTree | WaitingTree): Ending {
  return problem === 'files' ? invalidate(revision, findings) : rejectSecrets(revision, problem, findings);
}

function invalidate(revision: string, diagnostics: Diagnostic[]): Ending {
  const has = (rule: RuleId) => diagnostics.some((diagnostic) => diagnostic.rule === rule);
  const reason = has('factory/not-found') ? 'NoFactoryFound' : has('tree/odd-name') ? 'TreeOdd' : 'ValidationFailed';
  return { ...end(revision, 'invalid', reason, summariseFindings(diagnostics)), diagnostics };
}

function rejectSecrets(
  revision: string,
  problem: Exclude<BadTree['problem'], 'files'> | WaitingTree['problem'],
  diagnostics: Diagnostic[],
): Ending {
  const message = summariseFindings(diagnostics);
  if (problem === 'missing') return { ...fail(revision, 'SecretMissing', message), diagnostics };
  return { ...end(revision, 'invalid', 'SecretUnsuitable', message), diagnostics };
}
