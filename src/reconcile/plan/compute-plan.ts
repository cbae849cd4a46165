// The difference. In: a definition, what is applied, versions of secrets. Out: the plan for people, and exactly the rows that
// it changes. Pure. `backtest.ts` says what changed triggers would have started. Written by
// `storage/sql/definitions/apply-change.ts`.
// Next: `find-unchanged.ts`, `assign-uids.ts`, `trigger-changes.ts`.

import { isDeepStrictEqual } from 'node:util';
import {
  collectListenedTo,
  type ListenedTo,
  type ResolvedListeners,
  resolveListeners,
  UNKNOWN_UID,
} from '../../definitions/triggers/resolve-listeners.ts';
import { type AppliedFactory, NO_VERSION } from '../../domain/applies/applied.ts';
import type { Plan, PlanChange, PlanEntry, PlanSection } from '../../domain/applies/plan.ts';
import type {
  AutomationDefinition,
  FactoryDefinition,
  WebhookDefinition,
} from '../../domain/definitions/definition.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { OrderedLookup } from '../../domain/definitions/ordered-lookup.ts';
import { declareTrigger } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import type { AutomationRow, Remark, WebhookRow } from '../../domain/ports/inventory.ts';
import { type AppliedAutomation, AUTOMATION_FIELDS } from '../../domain/resources/automation.ts';
import { pickWith } from '../../domain/resources/fields.ts';
import { type AppliedWebhook, WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { applyLint, type LintSettings } from '../../domain/rules.ts';
import { type AssignedUids, assignUids } from './assign-uids.ts';

/** The input of a plan. */
interface PlanInput {
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
  /** What the applied automations were planned from; `null` if that is not known. It makes planning faster. */
  origin?: PlanOrigin | null;
}

/** What the last plan that was applied was made from. An automation with the same origin needs no new row. */
export interface PlanOrigin {
  /** The applied row of each definition. A file that did not change has the identical definition. */
  rows: OrderedLookup<AutomationDefinition, AutomationRow>;
  listened: ListenedTo;
  lint: LintSettings;
}

/** The plan, and the rows that execute it: exactly those that it creates, changes, pins to other secrets and deletes. */
export interface ComputedPlan {
  plan: Plan;
  webhooks: WebhookRow[];
  deleteWebhooks: WebhookUid[];
  automations: AutomationRow[];
  /** Automations of which only the warnings differ. */
  remarks: Remark[];
  deleteAutomations: string[];
  /** All definitions after the apply. Those that do not change are the objects of the applied state. */
  planned: { webhooks: WebhookRow[]; automations: AutomationRow[] };
  /** What the planned triggers were resolved with. */
  listened: ListenedTo;
  /** Diagnostics that need the inventory: UIDs that match no webhook. */
  warnings: Diagnostic[];
}

/**
 * The plan with the revision that its changes have become. An edit is planned before it is committed, and only the commit
 * has a revision.
 */
export function stampRevision(computed: ComputedPlan, revision: string): ComputedPlan {
  const stampIn = ({ create, update }: PlanSection) => {
    const changed = new Set([...create, ...update].map(({ name }) => name));
    return <Row extends { name: string }>(rows: Row[]): Row[] =>
      changed.size === 0 ? rows : rows.map((row) => (changed.has(row.name) ? { ...row, revision } : row));
  };
  const [stampWebhooks, stampAutomations] = [stampIn(computed.plan.webhooks), stampIn(computed.plan.automations)];
  const { planned } = computed;
  return {
    ...computed,
    webhooks: stampWebhooks(computed.webhooks),
    automations: stampAutomations(computed.automations),
    planned: { webhooks: stampWebhooks(planned.webhooks), automations: stampAutomations(planned.automations) },
  };
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
  const listened = collectListenedTo(definition, uids.byName);
  const webhooks = planWebhooks(input, uids);
  const automations = planAutomations(input, listened);
  return {
    plan: { webhooks: webhooks.section, automations: automations.section },
    webhooks: webhooks.written,
    deleteWebhooks: webhooks.deleted.map((webhook) => webhook.uid),
    automations: automations.written,
    remarks: automations.remarks,
    deleteAutomations: automations.deleted.map((automation) => automation.name),
    planned: { webhooks: webhooks.planned, automations: automations.planned },
    listened,
    warnings: automations.warnings,
  };
}

function planWebhooks(input: PlanInput, uids: AssignedUids) {
  const live = new Map(input.applied.webhooks.filter(isLive).map((webhook) => [webhook.uid, webhook]));
  const section = emptySection();
  const written: WebhookRow[] = [];
  const planned = input.definition.webhooks.map((webhook) => {
    const uid = uids.byName.get(webhook.name)!;
    const before = live.get(uid);
    const row = composeWebhookRow(input, webhook, { uid, before });
    const changes = [
      ...diffName(before, row),
      ...diffDeclared(before ? declareWebhook(before) : {}, declareWebhook(row)),
    ];
    const restored = uids.restored.has(row.name);
    const entry: PlanEntry = { name: row.name, uid: before || restored ? row.uid : null, restored, changes };
    if (!before) section.create.push(entry);
    else if (changes.length > 0) section.update.push(entry);
    return keepOrWrite({ before, row, changes, written });
  });
  const kept = new Set(planned.map((row) => row.uid));
  const deleted = [...live.values()].filter((webhook) => !kept.has(webhook.uid));
  section.delete = deleted.map((webhook) => ({ name: webhook.name, uid: webhook.uid, restored: false, changes: [] }));
  return { section, planned, written, deleted };
}

interface PlannedRow<Row> {
  before: Row | undefined;
  row: Row;
  changes: readonly PlanChange[];
  /** Receives a row that the apply has to write. */
  written: Row[];
}

/**
 * The row after the apply: `before` itself if nothing about it changes. A row of which only what no plan shows differs
 * (positions in the file, warnings) is written too, but it keeps its revision.
 */
function keepOrWrite<Row extends { revision: string | null; updatedAt: number }>({
  before,
  row,
  changes,
  written,
}: PlannedRow<Row>): Row {
  if (before === undefined || changes.length > 0) {
    written.push(row);
    return row;
  }
  const same = { ...row, revision: before.revision, updatedAt: before.updatedAt };
  if (isStoredAs(before, same)) return before;
  written.push(same);
  return same;
}

/** Numbers that the storage adds to a row do not count. */
function isStoredAs<Row extends object>(stored: Row, row: Row): boolean {
  return (Object.keys(row) as (keyof Row)[]).every((key) => isDeepStrictEqual(stored[key], row[key]));
}

function diffName(before: AppliedWebhook | undefined, { name }: WebhookRow): PlanChange[] {
  return before === undefined || before.name === name ? [] : [{ key: 'name', from: before.name, to: name }];
}

function isLive(webhook: AppliedWebhook): boolean {
  return webhook.deletedAt === null;
}

function composeWebhookRow(
  input: PlanInput,
  webhook: WebhookDefinition,
  { uid, before }: { uid: WebhookUid; before: AppliedWebhook | undefined },
): WebhookRow {
  const { secretNameAt: _, verifyTokenSecretNameAt: __, ...declared } = webhook;
  return {
    ...declared,
    uid,
    factory: input.applied.name,
    ...pinSecret(before, webhook.secretName, input.secrets.get(webhook.name)!.version, input.nowMs),
    verifyTokenSecretVersion: input.verifyTokens.get(webhook.name)?.version ?? null,
    revision: input.revision,
    updatedAt: input.nowMs,
  };
}

/** The pinned version, with the one before if it is a version of the same secret. */
function pinSecret(
  before: AppliedWebhook | undefined,
  secretName: string,
  secretVersion: number,
  nowMs: number,
): Pick<WebhookRow, 'secretVersion' | 'previousSecretVersion' | 'secretPinnedAt'> {
  if (before?.secretName !== secretName) return { secretVersion, previousSecretVersion: null, secretPinnedAt: nowMs };
  const { previousSecretVersion, secretPinnedAt } = before;
  if (before.secretVersion === secretVersion) return { secretVersion, previousSecretVersion, secretPinnedAt };
  const previous = before.secretVersion === NO_VERSION ? null : before.secretVersion;
  return { secretVersion, previousSecretVersion: previous, secretPinnedAt: nowMs };
}

function declareWebhook(webhook: WebhookRow): Declared {
  return pickWith(WEBHOOK_FIELDS, 'planned', webhook);
}

function planAutomations(input: PlanInput, listened: ListenedTo) {
  const { applied, definition } = input;
  const section = emptySection();
  const warnings: Diagnostic[] = [];
  const written: AutomationRow[] = [];
  const remarks: Remark[] = [];
  const own = groupWarnings(input.findings);
  const origins = findOrigins(input, listened);
  const findApplied = createFinder(applied.automations);
  let kept = 0;
  const planned = definition.automations.map((automation, index) => {
    const ofFile = own.get(automation.file) ?? NO_WARNINGS;
    const origin = origins.get(automation, index);
    if (origin !== undefined) {
      kept += 1;
      const current = renewWarnings(origin, ofFile, warnings);
      if (current !== origin) remarks.push({ name: current.name, warnings: current.warnings });
      return current;
    }
    const earlier = findApplied(automation.name);
    if (earlier !== undefined) kept += 1;
    const found = resolveListeners(automation, listened);
    const ofUids = applyLint(found.warnings, definition.lint);
    warnings.push(...ofUids);
    const row = composeAutomationRow(input, automation, { ...found, warnings: [...ofFile, ...ofUids] });
    const changes = diffDeclared(earlier ? declareAutomation(earlier) : {}, declareAutomation(row));
    const entry: PlanEntry = { name: row.name, uid: null, restored: false, changes };
    if (!earlier) section.create.push(entry);
    else if (changes.length > 0) section.update.push(entry);
    return keepOrWrite({ before: earlier, row, changes, written });
  });
  const deleted = kept === applied.automations.length ? [] : listDeleted(applied.automations, planned);
  section.delete = deleted.map((automation) => ({ name: automation.name, uid: null, restored: false, changes: [] }));
  return { section, planned, written, remarks, deleted, warnings };
}

/** Finds by name. The names are collected at the first use, because most plans change few automations. */
function createFinder(automations: readonly AppliedAutomation[]): (name: string) => AppliedAutomation | undefined {
  let byName: Map<string, AppliedAutomation> | null = null;
  return (name) => {
    byName ??= new Map(automations.map((automation) => [automation.name, automation]));
    return byName.get(name);
  };
}

function listDeleted(applied: readonly AppliedAutomation[], planned: readonly AutomationRow[]): AppliedAutomation[] {
  const names = new Set(planned.map(({ name }) => name));
  return applied.filter(({ name }) => !names.has(name));
}

const NO_WARNINGS: Diagnostic[] = [];

/**
 * The applied row of an automation that did not change, with its current warnings. Those about UIDs are still the same.
 *
 * @param ofPlan receives the warnings about UIDs
 */
function renewWarnings(earlier: AutomationRow, ofFile: Diagnostic[], ofPlan: Diagnostic[]): AutomationRow {
  if (earlier.warnings.length === 0 && ofFile.length === 0) return earlier;
  const ofUids = earlier.warnings.filter(({ rule }) => rule === UNKNOWN_UID);
  ofPlan.push(...ofUids);
  const warnings = [...ofFile, ...ofUids];
  return isDeepStrictEqual(earlier.warnings, warnings) ? earlier : { ...earlier, warnings };
}

/** The applied rows whose definitions, webhooks and settings are the same as now. Only their warnings can differ. */
function findOrigins({ origin = null, definition }: PlanInput, listened: ListenedTo): PlanOrigin['rows'] {
  const isSame =
    origin !== null && isDeepStrictEqual(origin.listened, listened) && isDeepStrictEqual(origin.lint, definition.lint);
  return isSame ? origin.rows : NO_ORIGINS;
}

const NO_ORIGINS: PlanOrigin['rows'] = new OrderedLookup([], []);

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
  { triggers, listensTo, warnings }: ResolvedListeners,
): AutomationRow {
  return {
    ...automation,
    triggers,
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
