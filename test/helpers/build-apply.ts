import { type AuditEntry, type AuditedChange, RECONCILER } from '../../src/domain/access/audit.ts';
import type { AppliedFactory } from '../../src/domain/applies/applied.ts';
import { EMPTY_PLAN } from '../../src/domain/applies/plan.ts';
import type { Reconciliation } from '../../src/domain/applies/reconciliation.ts';
import { NO_AGENT_FILES } from '../../src/domain/definitions/agent-files.ts';
import type { AppliedChange, AutomationRow, WebhookRow } from '../../src/domain/ports/inventory.ts';
import type { Storage } from '../../src/domain/ports/storage.ts';
import { ids, START_MS } from './build-offer.ts';
import { declareWebhook } from './declare-webhook.ts';
import { NO_POLICY } from './no-policy.ts';

export const FACTORY = 'payments';

/** A webhook as an apply writes it. */
export function buildWebhook(more: Partial<WebhookRow> = {}): WebhookRow {
  const name = more.name ?? 'internal-ci';
  return {
    uid: ids.webhookUid(),
    factory: FACTORY,
    name,
    file: `webhooks/${name}.yaml`,
    ...declareWebhook(),
    secretVersion: 1,
    previousSecretVersion: null,
    secretPinnedAt: START_MS,
    verifyTokenSecretVersion: null,
    revision: 'c0ffee',
    updatedAt: START_MS,
    ...more,
  };
}

/** An automation as an apply writes it. */
export function buildAutomation(more: Partial<AutomationRow> = {}): AutomationRow {
  const name = more.name ?? 'fix-errors';
  const at = { line: 3, column: 5 };
  return {
    name,
    factory: FACTORY,
    file: `automations/${name}/automation.md`,
    description: null,
    enabled: true,
    agent: null,
    prompt: 'Fix it.',
    overrides: {},
    ...NO_POLICY,
    listensTo: [[]],
    revision: 'c0ffee',
    updatedAt: START_MS,
    triggers: [{ provider: 'webhook', event: 'received', webhookIds: [], webhooks: [], payload: null, at }],
    warnings: [],
    ...more,
  };
}

/** A token that edits. */
export const EDITOR = { kind: 'token', id: 'tok_01', name: 'ada-laptop' } as const;

/** A pass, applied by default. */
export function buildReconciliation(more: Partial<Reconciliation> = {}): Reconciliation {
  const at = more.finishedAt ?? START_MS;
  return {
    id: ids.reconciliationId(at),
    factory: FACTORY,
    revision: 'c0ffee',
    commit: null,
    result: 'applied',
    reason: 'Applied',
    message: 'c0ffee is live',
    diagnostics: [],
    plan: EMPTY_PLAN,
    startedAt: at,
    finishedAt: at,
    attemptedAt: at,
    ...more,
  };
}

/** The audit entry of an apply. */
export function buildAudited(factory = FACTORY, at = START_MS): AuditedChange {
  const entry: AuditEntry = {
    id: ids.auditId(at),
    at,
    actor: RECONCILER,
    method: 'APPLY',
    route: '/api/v1/factories/:factory/reconciliations/:id',
    object: `factories/${factory}/reconciliations/rec_1`,
    changes: null,
    status: 200,
    clientAddress: 'local',
  };
  return { entry, objects: [] };
}

/** A complete apply. */
export function buildApply(more: Partial<AppliedChange> = {}): AppliedChange {
  const at = more.at ?? START_MS;
  const revision = more.revision === undefined ? 'c0ffee' : more.revision;
  const factory = more.factory ?? FACTORY;
  return {
    factory,
    revision,
    source: 'main of /repo',
    at,
    webhooks: [],
    deleteWebhooks: [],
    automations: [],
    remarks: [],
    deleteAutomations: [],
    plannedFrom: [],
    agentFiles: { set: NO_AGENT_FILES, contents: new Map() },
    conditions: [],
    audit: buildAudited(factory, at),
    reconciliation: buildReconciliation({ factory, revision, finishedAt: at }),
    ...more,
  };
}

/** Registers the factory, applies, and returns the applied state. */
export async function applyFactory(storage: Storage, more: Partial<AppliedChange> = {}): Promise<AppliedFactory> {
  const change = buildApply(more);
  await storage.inventory.register(change.factory, change.at);
  await storage.inventory.apply(change);
  return (await storage.inventory.load(change.factory))!;
}

/** A factory with one webhook and one automation with a trigger for it. */
export async function applyOneOfEach(storage: Storage): Promise<{ webhook: number; version: number; uid: string }> {
  const factory = await applyFactory(storage, { webhooks: [buildWebhook()], automations: [buildAutomation()] });
  const [webhook] = factory.webhooks;
  return { webhook: webhook!.ref, version: factory.automations[0]!.version, uid: webhook!.uid };
}
