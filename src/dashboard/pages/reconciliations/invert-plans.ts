import {
  type ChangedEntry,
  type ChangedSection,
  PLAN_VERBS,
  type PlanVerb,
  type ReconciliationPlan,
} from './plan-changes.ts';

type Change = ChangedEntry['changes'][number];

interface Step {
  verb: PlanVerb;
  entry: ChangedEntry;
}

/**
 * The combined inverse of these plans: created objects are deleted, and several changes of one key become one.
 *
 * @param plans the applied plans, newest first
 */
export function invertPlans(plans: readonly ReconciliationPlan[]): ReconciliationPlan {
  return {
    webhooks: invertSections(plans.map(({ webhooks }) => webhooks)),
    automations: invertSections(plans.map(({ automations }) => automations)),
  };
}

function invertSections(sections: readonly ChangedSection[]): ChangedSection {
  const steps = groupBy(sections.flatMap(listSteps), ({ entry }) => entry.name);
  const inverted: ChangedSection = { create: [], update: [], delete: [] };
  for (const [name, ofName] of steps) {
    const verb = findVerb(ofName);
    if (verb === null) continue;
    const changes = mergeChanges(ofName.map(({ entry }) => entry.changes));
    if (verb !== 'update' || changes.length > 0)
      inverted[verb].push({ name, uid: ofName[0]!.entry.uid, restored: verb === 'create', changes });
  }
  return inverted;
}

function listSteps(section: ChangedSection): Step[] {
  return PLAN_VERBS.flatMap((verb) => section[verb].map((entry) => ({ verb, entry })));
}

/** `null` for an object that exists neither now nor then. */
function findVerb(steps: readonly Step[]): PlanVerb | null {
  const existsNow = steps[0]?.verb !== 'delete';
  const existedThen = steps.at(-1)?.verb !== 'create';
  if (existsNow) return existedThen ? 'update' : 'delete';
  return existedThen ? 'create' : null;
}

/** The current and the original value of each key. Keys with equal values are omitted. */
function mergeChanges(newestFirst: readonly ChangedEntry['changes'][]): Change[] {
  const byKey = groupBy(newestFirst.flat(), ({ key }) => key);
  return [...byKey]
    .map(([key, changes]) => ({ key, from: changes[0]!.to, to: changes.at(-1)!.from }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

/** Keeps the order of the first item of each group. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
