import { PLAN_VERBS, type Plan, type PlanEntry, type PlanSection, type PlanVerb } from './plan-changes.ts';

type Change = PlanEntry['changes'][number];

interface Step {
  verb: PlanVerb;
  entry: PlanEntry;
}

/**
 * What taking back these plans changes, in sum: what was created is deleted, and what was changed twice changes once.
 *
 * @param plans those that were applied, newest first
 */
export function invertPlans(plans: readonly Plan[]): Plan {
  return {
    webhooks: invertSections(plans.map(({ webhooks }) => webhooks)),
    automations: invertSections(plans.map(({ automations }) => automations)),
  };
}

function invertSections(sections: readonly PlanSection[]): PlanSection {
  const steps = groupBy(sections.flatMap(listSteps), ({ entry }) => entry.name);
  const inverted: PlanSection = { create: [], update: [], delete: [] };
  for (const [name, ofName] of steps) {
    const verb = findVerb(ofName);
    if (verb === null) continue;
    const changes = mergeChanges(ofName.map(({ entry }) => entry.changes));
    if (verb !== 'update' || changes.length > 0)
      inverted[verb].push({ name, uid: ofName[0]!.entry.uid, restored: verb === 'create', changes });
  }
  return inverted;
}

function listSteps(section: PlanSection): Step[] {
  return PLAN_VERBS.flatMap((verb) => section[verb].map((entry) => ({ verb, entry })));
}

/** `null` for what exists neither now nor then. */
function findVerb(steps: readonly Step[]): PlanVerb | null {
  const existsNow = steps[0]?.verb !== 'delete';
  const existedThen = steps.at(-1)?.verb !== 'create';
  if (existsNow) return existedThen ? 'update' : 'delete';
  return existedThen ? 'create' : null;
}

/** For each key what it is now and what it was before all of them; keys that are the same in both are left out. */
function mergeChanges(newestFirst: readonly PlanEntry['changes'][]): Change[] {
  const byKey = groupBy(newestFirst.flat(), ({ key }) => key);
  return [...byKey]
    .map(([key, changes]) => ({ key, from: changes[0]!.to, to: changes.at(-1)!.from }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

/** In the order of the first of each group. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
