import { EVENT_PATH } from '../../definitions/filter/explain.ts';
import { compareNearness } from '../../definitions/filter/nearness.ts';
import type { AutomationView } from '../../domain/ports/inventory.ts';
import type { Decision, Delivery, Nearness } from '../../domain/resources/delivery.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { createSummary, cutList } from './cut-list.ts';
import { createStep, listFacts, type StoryStep } from './story.ts';
import { refAutomation, refDelivery, refRun, type StoryRequest } from './story-parts.ts';

/** Automations that started, and reasons of those that did not, that a story shows. */
const MAX_STARTED = 10;
const MAX_REASONS = 10;

/** An automation whose filter cannot be evaluated, or with a decision of an earlier version. */
const UNKNOWN: Nearness = { matched: false, held: 0, present: true };

type Comparison = Pick<Decision, 'path' | 'expected' | 'actual'>;

/** The automations that did not start, the one that nearly started first. */
export function rankMisses(decisions: readonly Decision[]): Decision[] {
  return decisions
    .filter(({ outcome }) => outcome !== 'started')
    .sort((a, b) => compareNearness(a.nearness ?? UNKNOWN, b.nearness ?? UNKNOWN));
}

/** Why each automation started or not. The others of one reason are one step. */
export async function listDecisionSteps(
  request: StoryRequest,
  delivery: Delivery,
  decisions: readonly Decision[],
): Promise<StoryStep[]> {
  const starts = decisions.filter(({ outcome }) => outcome === 'started');
  const { shown, omitted } = cutList(request, starts, MAX_STARTED);
  const describe = (decision: Decision) => describeDecision(request, delivery, decision);
  const sumUp = (text: string) => createSummary(request, refDelivery(delivery), { at: delivery.receivedAt, text });
  return [
    ...(await Promise.all(shown.map(describe))),
    ...(omitted === 0 ? [] : [sumUp(`${countOf(omitted, 'more automation')} started.`)]),
    ...(await listMissSteps(request, rankMisses(decisions), { describe, sumUp })),
  ];
}

interface Describers {
  describe(decision: Decision): Promise<StoryStep>;
  sumUp(text: string): StoryStep;
}

async function listMissSteps(
  request: StoryRequest,
  misses: readonly Decision[],
  { describe, sumUp }: Describers,
): Promise<StoryStep[]> {
  const [nearest, ...others] = misses;
  if (nearest === undefined) return [];
  const groups = request.all ? others.map((other) => [other]) : groupByReason(others);
  const { shown, omitted } = cutList(request, groups, MAX_REASONS);
  const uncounted = groups.slice(groups.length - omitted).flat().length;
  return [
    await describe(nearest),
    ...(await Promise.all(
      shown.map((group) => (group.length === 1 ? describe(group[0]!) : sumUp(describeGroup(group)))),
    )),
    ...(uncounted === 0 ? [] : [sumUp(`${countOf(uncounted, 'more automation')} did not start, for other reasons.`)]),
  ];
}

/** In the order of their first decisions. */
function groupByReason(decisions: readonly Decision[]): Decision[][] {
  const groups = new Map<string, Decision[]>();
  for (const decision of decisions) {
    const { outcome, path, message } = decision;
    const key = JSON.stringify([outcome, path ?? message]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [decision]);
    else group.push(decision);
  }
  return [...groups.values()];
}

/** The value of a key is the same for all, because they got the same delivery. */
function describeGroup(group: readonly Decision[]): string {
  const [{ path, actual, message, nearness }] = group as [Decision];
  const count = `${countOf(group.length, 'automation')} did not start`;
  if (path === null) return `${count}: ${message}.`;
  if (path === EVENT_PATH) return `${count}: the delivery is not one of their events.`;
  const value = nearness?.present === false ? ' is absent' : isShort(actual) ? ` is ${JSON.stringify(actual)}` : '';
  const what = path === '' ? 'the payload' : path;
  return value === '' ? `${count} because of ${what}.` : `${count}: ${what}${value}.`;
}

function isShort(value: Decision['actual']): boolean {
  return value !== null && typeof value !== 'object';
}

const OUTCOMES: Readonly<Record<Decision['outcome'], StoryStep['outcome']>> = {
  started: 'ok',
  filtered: 'note',
  disabled: 'note',
  filter_error: 'failed',
  ignored_actor: 'note',
  loop_guard: 'warning',
  paused: 'note',
};

/** The value that decided. What the event of a trigger requires has no value to compare: the message names it. */
export function listComparison({ path, expected, actual }: Comparison): StoryStep['facts'] {
  if (path === null || (path === EVENT_PATH && expected === true && Array.isArray(actual))) return [];
  return listFacts({ Key: path, Expected: JSON.stringify(expected), Actual: JSON.stringify(actual) });
}

async function describeDecision(
  request: StoryRequest,
  delivery: Delivery,
  { automation, outcome, run, path, expected, actual, message }: Decision,
): Promise<StoryStep> {
  const { factory, receivedAt } = delivery;
  const isStarted = outcome === 'started';
  const now = await request.inventory.automation(factory, automation);
  return createStep({
    at: receivedAt,
    outcome: OUTCOMES[outcome],
    text: `${automation} ${isStarted ? 'started' : 'did not start'}: ${message}.${sayChangedSince(now, delivery)}`,
    facts: listComparison({ path, expected, actual }),
    commit: await findDecidingCommit(request, delivery, now),
    links: [refAutomation(factory, automation), ...(run === null ? [] : [refRun(factory, run)])],
  });
}

/** The commit that last changed the automation before the delivery; the live one if the automation has changed since. */
async function findDecidingCommit(
  { history }: StoryRequest,
  { factory, revision, receivedAt }: Delivery,
  now: AutomationView | null,
): Promise<StoryStep['commit']> {
  if (now !== null && now.revision !== null && now.updatedAt <= receivedAt) {
    return { revision: now.revision, commit: now.commit };
  }
  return revision === null ? null : { revision, commit: await history.commit(factory, revision) };
}

function sayChangedSince(now: AutomationView | null, { receivedAt }: Delivery): string {
  if (now === null) return ' It has been deleted since.';
  return now.updatedAt > receivedAt ? ' It has changed since.' : '';
}
