import { isDeepStrictEqual } from 'node:util';
import type { AppliedFactory } from '../core/applied.ts';
import type { AutomationDefinition, FactoryDefinition, WebhookDefinition } from '../core/definition.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { WebhookUid } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { Plan, PlanChange, PlanEntry } from '../core/plan.ts';
import type { AutomationRow, WebhookRow } from '../core/ports/definitions/inventory.ts';
import type { AppliedAutomation } from '../core/resources/automation.ts';
import { AUTOMATION_FIELDS } from '../core/resources/automation.ts';
import { pickWith } from '../core/resources/fields.ts';
import type { AppliedWebhook } from '../core/resources/webhook.ts';
import { WEBHOOK_FIELDS } from '../core/resources/webhook.ts';
import { applyLint } from '../core/rules.ts';
import { declareTrigger } from '../core/trigger.ts';
import { type AssignedUids, assignUids } from './assign-uids.ts';
import { type ResolvedListeners, resolveListeners } from './resolve-listeners.ts';

/** The input of a plan. */
export interface PlanInput {
  definition: FactoryDefinition;
  applied: AppliedFactory;
  /** Diagnostics so far. Each automation keeps the warnings about its file. */
  findings: readonly Diagnostic[];
  /** The secret that each webhook gets pinned to, by the webhook's name. */
  secrets: ReadonlyMap<string, { version: number }>;
  /** The verify token that each webhook gets pinned to, for webhooks that name one. */
  verifyTokens: ReadonlyMap<string, { version: number }>;
  revision: string | null;
  nowMs: number;
  newUid(): WebhookUid;
  /** UIDs that the source keeps for renamed webhooks, by name. */
  keptUids?: ReadonlyMap<string, WebhookUid>;
}

/** The plan, and the rows that execute it. */
export interface ComputedPlan {
  plan: Plan;
  webhooks: WebhookRow[];
  deleteWebhooks: WebhookUid[];
  automations: AutomationRow[];
  deleteAutomations: string[];
  /** Diagnostics that need the inventory: UIDs that match no webhook. */
  warnings: Diagnostic[];
}

/** Computes the plan from the definition, the applied state and the secrets. Writes nothing. */
export function computePlan(input: PlanInput): ComputedPlan {
  const { definition, applied } = input;
  const uids = assignUids(
    definition.webhooks.map((webhook) => webhook.name),
    applied.webhooks,
    input.newUid,
    input.keptUids,
  );
  const webhooks = planWebhooks(input, uids);
  const automations = planAutomations(input, uids);
  return {
    plan: { webhooks: webhooks.section, automations: automations.section },
    webhooks: webhooks.rows,
    deleteWebhooks: webhooks.deleted.map((webhook) => webhook.uid),
    automations: automations.rows,
    deleteAutomations: automations.deleted.map((automation) => automation.name),
    warnings: automations.warnings,
  };
}

function planWebhooks(input: PlanInput, uids: AssignedUids) {
  const live = new Map(input.applied.webhooks.filter(isLive).map((webhook) => [webhook.uid, webhook]));
  const section = emptySection();
  const rows = input.definition.webhooks.map((webhook) => {
    const uid = uids.byName.get(webhook.name)!;
    const before = live.get(uid);
    const row = composeWebhookRow(input, webhook, uid);
    const changes = [
      ...diffName(before, row),
      ...diffDeclared(before ? declareWebhook(before) : {}, declareWebhook(row)),
    ];
    const restored = uids.restored.has(row.name);
    const entry: PlanEntry = { name: row.name, uid: before || restored ? row.uid : null, restored, changes };
    if (!before) section.create.push(entry);
    else if (changes.length > 0) section.update.push(entry);
    return before && changes.length === 0 ? { ...row, revision: before.revision, updatedAt: before.updatedAt } : row;
  });
  const kept = new Set(rows.map((row) => row.uid));
  const deleted = [...live.values()].filter((webhook) => !kept.has(webhook.uid));
  section.delete = deleted.map((webhook) => ({ name: webhook.name, uid: webhook.uid, restored: false, changes: [] }));
  return { section, rows, deleted };
}

function diffName(before: AppliedWebhook | undefined, { name }: WebhookRow): PlanChange[] {
  return before === undefined || before.name === name ? [] : [{ key: 'name', from: before.name, to: name }];
}

function isLive(webhook: AppliedWebhook): boolean {
  return webhook.deletedAt === null;
}

function composeWebhookRow(input: PlanInput, webhook: WebhookDefinition, uid: WebhookUid): WebhookRow {
  const { secretNameAt: _, verifyTokenSecretNameAt: __, ...declared } = webhook;
  return {
    ...declared,
    uid,
    factory: input.applied.name,
    secretVersion: input.secrets.get(webhook.name)!.version,
    verifyTokenSecretVersion: input.verifyTokens.get(webhook.name)?.version ?? null,
    revision: input.revision,
    updatedAt: input.nowMs,
  };
}

function declareWebhook(webhook: WebhookRow): Declared {
  return pickWith(WEBHOOK_FIELDS, 'planned', webhook);
}

function planAutomations(input: PlanInput, uids: AssignedUids) {
  const before = new Map(input.applied.automations.map((automation) => [automation.name, automation]));
  const section = emptySection();
  const warnings: Diagnostic[] = [];
  const own = groupWarnings(input.findings);
  const rows = input.definition.automations.map((automation) => {
    const earlier = before.get(automation.name);
    const found = resolveListeners(automation, uids.byName);
    const ofUids = applyLint(found.warnings, input.definition.lint);
    warnings.push(...ofUids);
    const all = [...(own.get(automation.file) ?? []), ...ofUids];
    const row = composeAutomationRow(input, automation, { listensTo: found.listensTo, warnings: all });
    const changes = diffDeclared(earlier ? declareAutomation(earlier) : {}, declareAutomation(row));
    const entry: PlanEntry = { name: row.name, uid: null, restored: false, changes };
    if (!earlier) section.create.push(entry);
    else if (changes.length > 0) section.update.push(entry);
    return earlier && changes.length === 0 ? { ...row, revision: earlier.revision, updatedAt: earlier.updatedAt } : row;
  });
  const kept = new Set(rows.map((row) => row.name));
  const deleted = input.applied.automations.filter((automation) => !kept.has(automation.name));
  section.delete = deleted.map((automation) => ({ name: automation.name, uid: null, restored: false, changes: [] }));
  return { section, rows, deleted, warnings };
}

/** Groups warnings by file, because thousands of automations may have one each. */
function groupWarnings(findings: readonly Diagnostic[]): Map<string, Diagnostic[]> {
  const byFile = new Map<string, Diagnostic[]>();
  for (const finding of findings) {
    if (finding.severity !== 'warning') continue;
    const others = byFile.get(finding.file);
    if (others === undefined) byFile.set(finding.file, [finding]);
    else others.push(finding);
  }
  return byFile;
}

function composeAutomationRow(
  input: PlanInput,
  { places: _, ...automation }: AutomationDefinition,
  { listensTo, warnings }: ResolvedListeners,
): AutomationRow {
  return {
    ...automation,
    listensTo,
    warnings,
    factory: input.applied.name,
    revision: input.revision,
    updatedAt: input.nowMs,
  };
}

function declareAutomation(automation: AutomationRow | AppliedAutomation): Declared {
  const planned = pickWith(AUTOMATION_FIELDS, 'planned', automation);
  return { ...planned, triggers: automation.triggers.map(declareTrigger), ...automation.overrides };
}

function emptySection() {
  return { create: [] as PlanEntry[], update: [] as PlanEntry[], delete: [] as PlanEntry[] };
}

/** The keys and values of a definition as in its file. */
type Declared = { [key: string]: Json };

/** The keys whose values differ; `from` is `null` for a new key. */
function diffDeclared(from: Declared, to: Declared): PlanChange[] {
  const keys = new Set([...Object.keys(to), ...Object.keys(from)]);
  return [...keys]
    .map((key) => ({ key, from: from[key] ?? null, to: to[key] ?? null }))
    .filter((change) => !isDeepStrictEqual(change.from, change.to));
}
