import { FileResults } from '../definitions/file-results.ts';
import { describeServices } from '../definitions/triggers/describe-service.ts';
import { formatKeyPath } from '../definitions/yaml/key-path.ts';
import type { AppliedFactory } from '../domain/applies/applied.ts';
import type { Plan, PlanChange, PlanEntry } from '../domain/applies/plan.ts';
import type { MissingSecret, PlannedTrigger, PlanPreview } from '../domain/applies/plan-preview.ts';
import { createTicks, listNextTicks } from '../domain/cron/ticks.ts';
import type { FactoryDefinition } from '../domain/definitions/definition.ts';
import { compareDiagnostics, type Diagnostic } from '../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../domain/definitions/source-tree.ts';
import { isWebhookTrigger, scheduleOf, type Trigger } from '../domain/definitions/trigger.ts';
import type { WebhookUid } from '../domain/ids.ts';
import type { Json } from '../domain/json.ts';
import type { StoredPayloads } from '../domain/ports/delivery-log.ts';
import type { AutomationRow, Inventory } from '../domain/ports/inventory.ts';
import { applyLint } from '../domain/rules.ts';
import type { Clock } from '../domain/time/clock.ts';
import { type ExaminationContext, examineTree } from './examine-tree.ts';
import { emptyFactory } from './factory-state.ts';
import { type BacktestBounds, runBacktest, type UnseenKey } from './plan/backtest.ts';
import { compareAgentFiles } from './plan/compare-agent-files.ts';
import type { ComputedPlan } from './plan/compute-plan.ts';
import { listTriggerChanges } from './plan/trigger-changes.ts';
import type { ResolvedSecrets } from './resolve-secrets.ts';

/** What looking ahead needs: the parts of an apply that only read. */
export interface PreviewContext extends Omit<ExaminationContext, 'name' | 'hosted' | 'ids' | 'state'> {
  inventory: Pick<Inventory, 'load'>;
  /** As in `ExaminationContext`. */
  hostOf(factory: string): ExaminationContext['hosted'];
  payloads: StoredPayloads;
  bounds: BacktestBounds;
  clock: Clock;
}

/** What is looked at, and how far into the secrets. */
export interface PreviewOrder {
  factory: string;
  tree: SourceTree;
  mayCheckSecrets: boolean;
  /** Whether stored deliveries are evaluated. Their payloads show in the result. Default: true */
  hasBacktest?: boolean;
}

/**
 * What an apply of the tree would find and do, and then what the changed triggers would have made of the stored
 * deliveries. A missing secret does not end it: it is part of the answer.
 */
export async function previewPlan(context: PreviewContext, order: PreviewOrder): Promise<PlanPreview> {
  const { factory: name, tree, mayCheckSecrets, hasBacktest = true } = order;
  const hosted = context.hostOf(name);
  const state = {
    applied: async () => (await context.inventory.load(name)) ?? emptyFactory(name),
    origin: null,
    results: new FileResults(),
  };
  const ids = { webhookUid: createPlaceholders() };
  const examined = await examineTree({ ...context, name, hosted, state, ids }, tree, {
    revision: null,
    mayCheck: (secret, { webhooks }) => mayCheckSecrets || webhooks.some(({ secretName }) => secretName === secret),
  });
  if (!examined.ok && examined.problem !== 'missing') return { valid: false, diagnostics: examined.findings };

  const { applied, definition, agentFiles, computed, secrets, findings } = examined;
  const { backtest, unseenKeys } = await runBacktest(
    { ...context, nowMs: context.clock.wallMs(), monotonicMs: () => context.clock.monotonicMs() },
    hasBacktest ? listTriggerChanges(applied, computed) : [],
  );
  const unseen = applyLint(
    unseenKeys.map((key) => warnOfUnseenKey(definition, key)),
    definition.lint,
  );
  return {
    valid: true,
    appliedRevision: applied.revision,
    plan: nameWebhooks(applied, computed),
    triggers: describeTriggers(definition, computed, context.clock.wallMs()),
    agentFiles: compareAgentFiles(applied.agentFiles, agentFiles.set),
    missingSecrets: listMissing(secrets),
    diagnostics: [...findings, ...unseen].sort(compareDiagnostics),
    backtest,
  };
}

const PLACEHOLDER = 'wh_new-';

/** No identifier is used up by looking; these have not the form of one. */
function createPlaceholders(): () => WebhookUid {
  let made = 0;
  return () => `${PLACEHOLDER}${++made}`;
}

/** Replaces the UIDs of the webhooks of triggers with names. Some of these UIDs only the apply assigns. */
function nameWebhooks({ webhooks }: AppliedFactory, { plan, planned }: ComputedPlan): Plan {
  const names = new Map<Json, string>([...webhooks, ...planned.webhooks].map(({ uid, name }) => [uid, name]));
  const show = (value: Json): Json => (Array.isArray(value) ? value.map(show) : (names.get(value) ?? value));
  const showChange = (change: PlanChange): PlanChange =>
    change.key === 'listensTo' ? { ...change, from: show(change.from), to: show(change.to) } : change;
  const showEntry = (entry: PlanEntry): PlanEntry => ({ ...entry, changes: entry.changes.map(showChange) });
  const { create, update } = plan.automations;
  return {
    ...plan,
    automations: { ...plan.automations, create: create.map(showEntry), update: update.map(showEntry) },
  };
}

/** Maximum number of unchanged automations whose schedules are shown. */
const MAX_UNCHANGED = 20;

/** Number of times of a schedule that a plan shows (provider triggers, section 5). */
const SHOWN_TIMES = 5;

function describeTriggers(
  definition: FactoryDefinition,
  { plan, planned, listened }: ComputedPlan,
  nowMs: number,
): PlannedTrigger[] {
  const { create, update } = plan.automations;
  const changed = new Set([...create, ...update].map(({ name }) => name));
  const webhooks = definition.webhooks.map((webhook) => ({ ...webhook, uid: listened.uids.get(webhook.name)! }));
  const describe = (automation: AutomationRow): PlannedTrigger[] => {
    const services = describeServices(automation, { webhooks, repositories: definition.repositories });
    return services.map((service, index) => ({ ...service, nextAt: listNext(automation.triggers[index]!, nowMs) }));
  };
  const isScheduled = ({ name, enabled, triggers }: AutomationRow) =>
    enabled && !changed.has(name) && triggers.some((trigger) => scheduleOf(trigger) !== null);
  const unchanged = planned.automations.filter(isScheduled).slice(0, MAX_UNCHANGED);
  return [
    ...planned.automations.filter(({ name }) => changed.has(name)).flatMap(describe),
    ...unchanged.flatMap(describe).filter(({ nextAt }) => nextAt.length > 0),
  ];
}

function listNext(trigger: Trigger, nowMs: number): number[] {
  const schedule = scheduleOf(trigger);
  return schedule === null ? [] : listNextTicks(createTicks(schedule, nowMs), nowMs, SHOWN_TIMES);
}

function listMissing({ missingForWebhooks, missingForRuns }: ResolvedSecrets): MissingSecret[] {
  const missing = new Map<string, MissingSecret>();
  const open = (name: string) => {
    const entry = missing.get(name) ?? { name, webhooks: [], automations: [] };
    missing.set(name, entry);
    return entry;
  };
  for (const { name, webhook } of missingForWebhooks) open(name).webhooks.push(webhook);
  for (const { name, automation } of missingForRuns) open(name).automations.push(automation);
  return [...missing.values()];
}

function warnOfUnseenKey({ automations }: FactoryDefinition, { automation, path, examined }: UnseenKey): Diagnostic {
  const { file, triggers, places } = automations.find(({ name }) => name === automation)!;
  const index = triggers.findIndex((trigger) => isWebhookTrigger(trigger) && hasPath(trigger.payload, path));
  const place = formatKeyPath(['triggers', index, 'filter', 'payload', ...path]);
  const { line, column } = places.get(place) ?? { line: 1, column: 1 };
  return {
    severity: 'warning',
    rule: 'filter/unseen-key',
    file,
    line,
    column,
    path: place,
    message: `none of the ${examined} stored deliveries looked at has the key ${formatKeyPath(path)}`,
    hint: 'compare it with a delivery: dockbell delivery list WEBHOOK, then dockbell delivery show ID --payload',
  };
}

function hasPath(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return hasPath((value as { [key: string]: unknown })[key], rest);
}
