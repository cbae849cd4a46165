import type { PlanEntry, PlanPreview } from '../../client/api-types.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { type LeafChange, listLeafChanges, listListenerChanges } from './leaf-changes.ts';

/** What an apply does to one definition. */
type PlanAction = 'create' | 'restore' | 'change' | 'enable' | 'disable' | 'delete';

/** One definition or agent file in a plan, as it is shown. */
export interface PlannedItem {
  kind: 'webhook' | 'automation' | 'agent file';
  action: PlanAction;
  name: string;
  uid: string | null;
  url: string | null;
  changes: LeafChange[];
  /** Which webhooks start the triggers of an automation that is created or changed. */
  triggers: string[];
}

/** The changes of a plan: webhooks, automations, agent files. Creations come before changes before deletions. */
export function listPlannedItems(plan: PlanPreview): PlannedItem[] {
  return [...listDefinitions(plan), ...listFiles(plan)];
}

function listDefinitions({ webhooks, automations, triggers }: PlanPreview): PlannedItem[] {
  const sections = [
    ['webhook', webhooks],
    ['automation', automations],
  ] as const;
  return sections.flatMap(([kind, { create, update, delete: gone }]) => {
    const services = kind === 'automation' ? triggers : [];
    return [
      ...create.map((entry) => toItem(kind, entry.restored ? 'restore' : 'create', entry, services)),
      ...update.map((entry) => toItem(kind, classifyUpdate(entry), entry, services)),
      ...gone.map((entry) => toItem(kind, 'delete', entry, [])),
    ];
  });
}

/** `github issue_labeled: served by github`, or why the trigger starts nothing here. */
function describeTrigger({ trigger, served_by: webhooks, reason, next }: PlanPreview['triggers'][number]): string {
  if (reason !== null) return `${trigger}: cannot start here, ${reason}`;
  if (next.length > 0) return `${trigger}: fires at ${next.join(', ')}`;
  return webhooks.length === 0 ? trigger : `${trigger}: served by ${webhooks.join(', ')}`;
}

/** `automation nightly, schedule late: fires at …`, for the schedules of automations that do not change. */
export function listOtherSchedules(plan: PlanPreview, items: readonly PlannedItem[]): string[] {
  const planned = new Set(items.filter(({ kind }) => kind === 'automation').map(({ name }) => name));
  return plan.triggers
    .filter(({ automation }) => !planned.has(automation))
    .map((trigger) => `automation ${trigger.automation}, ${describeTrigger(trigger)}`);
}

function listFiles({ agent_files: files }: PlanPreview): PlannedItem[] {
  const toFile = (action: PlanAction) => (name: string) => ({
    kind: 'agent file' as const,
    action,
    name,
    uid: null,
    url: null,
    changes: [],
    triggers: [],
  });
  const { create = [], update = [], delete: gone = [] } = files ?? {};
  return [...create.map(toFile('create')), ...update.map(toFile('change')), ...gone.map(toFile('delete'))];
}

function classifyUpdate({ changes }: PlanEntry): PlanAction {
  const switched = changes.find(({ key }) => key === 'enabled');
  if (switched === undefined) return 'change';
  return switched.to === true ? 'enable' : 'disable';
}

function toItem(
  kind: PlannedItem['kind'],
  action: PlanAction,
  entry: PlanEntry & { ingress_url?: string | null },
  services: PlanPreview['triggers'],
): PlannedItem {
  const { name, uid, changes, ingress_url: url = null } = entry;
  const shown = changes.filter(
    ({ to }) => action === 'change' || action === 'enable' || action === 'disable' || to !== null,
  );
  return {
    kind,
    action,
    name,
    uid,
    url,
    changes: shown.flatMap(({ key, from, to }) =>
      key === 'listensTo' ? listListenerChanges(from, to) : listLeafChanges(key, from, to),
    ),
    triggers: services.filter(({ automation }) => automation === name).map(describeTrigger),
  };
}

/** Warnings about files. Missing secrets are listed separately, because the files are correct. */
export function listWarnings({ diagnostics }: PlanPreview): Diagnostic[] {
  return diagnostics.filter(({ rule }) => rule !== 'secret/missing');
}

/** `2 to create, 1 to delete`, or `No changes`. */
export function summarisePlan(items: readonly PlannedItem[]): string {
  if (items.length === 0) return 'No changes';
  const counts = new Map<string, number>();
  for (const { action } of items) counts.set(action, (counts.get(action) ?? 0) + 1);
  return [...counts].map(([action, count]) => `${count} to ${action}`).join(', ');
}

/** `1,204 stored deliveries of the last 7 days`, with the size of the sample if not all were evaluated. */
export function describeExamined({ backtest: { stored, examined, since, until, sampled } }: PlanPreview): string {
  const days = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000);
  const all = `${formatCount(stored)} stored ${stored === 1 ? 'delivery' : 'deliveries'} of the last ${days} days`;
  return sampled ? `an even sample of ${formatCount(examined)} of ${all}; the counts are those of the sample` : all;
}

/** The text instead of a backtest. */
export const NOTHING_STORED =
  'Backtest: no stored delivery of the last days matches the webhooks of the changed triggers.';

/** `41 starts → 3`, or that no delivery was evaluated. */
export function describeStarts({
  examined,
  before,
  after,
}: {
  examined: number;
  before: number;
  after: number;
}): string {
  if (examined === 0) return 'no stored delivery of its webhooks';
  return `${formatCount(before)} ${before === 1 ? 'start' : 'starts'} → ${formatCount(after)}`;
}

/** With commas between thousands, independent of the locale. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
