import { compareNearness, FULL_MATCH } from '../../definitions/filter/nearness.ts';
import { describeService } from '../../definitions/triggers/describe-service.ts';
import { isWebhookTrigger, triggerFiltersByWebhook } from '../../domain/definitions/trigger.ts';
import type { RunId, WebhookUid } from '../../domain/ids.ts';
import type { ObjectChange } from '../../domain/ports/definitions.ts';
import type { AutomationView } from '../../domain/ports/inventory.ts';
import { type Delivery, type Nearness, parseRecordedHeaders } from '../../domain/resources/delivery.ts';
import type { Run } from '../../domain/resources/run.ts';
import type { RunResults } from '../../domain/runs/run-results.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { explainInactiveAutomation } from '../../domain/words/automations.ts';
import { formatPath } from '../../domain/words/payload-filters.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { listChangeSteps, readChanges, sayCommit } from './change-steps.ts';
import { createSummary, cutList, limitRead } from './cut-list.ts';
import { listComparison } from './decision-steps.ts';
import { describeRunState, type RunHistory, readRuns } from './run-steps.ts';
import { listScheduleSteps, saySchedule } from './schedule-steps.ts';
import { createStep, type NextCommand, type ObjectRef, orderSteps, type Story, type StoryStep } from './story.ts';
import { factoryOption, nameDelivery, refAutomation, refDelivery, refRun, type StoryRequest } from './story-parts.ts';

const MAX_RUNS = 5;
/** The most recent runs, of which those are shown that ended last. */
const READ_RUNS = 50;
/** Recent deliveries that are evaluated if the automation has no runs, and those that are shown. */
const MAX_EVALUATED = 10;
const SHOWN_EVALUATED = 3;
/** Reasons why an automation starts nothing that the answer has. The steps have all. */
const MAX_REASONS = 3;

/** The story of an automation: who changed it, its runs, and why it starts nothing. */
export async function composeAutomationStory(request: StoryRequest, automation: AutomationView): Promise<Story> {
  const { factory, name } = automation;
  const object = { kind: 'automation' as const, factory, name, revision: automation.revision };
  const subject = refAutomation(factory, name);
  const [changes, runs] = await Promise.all([
    readChanges(request, object),
    readAutomationRuns(request, { factory, name, lastRun: automation.results.lastRun?.id ?? null }),
  ]);
  const obstacles = await findObstacles(request, automation, runs.shown.length === 0);
  return {
    subject,
    answer: `${describeState(automation, runs, obstacles)}${automation.schedules.map(saySchedule).join('')}${sayLastChange(changes.changes[0])}`,
    steps: orderSteps([
      ...listChangeSteps(request, subject, changes),
      ...listRunEnds(request, subject, runs),
      ...automation.schedules.flatMap((schedule) => listScheduleSteps(factory, schedule)),
      ...obstacles.steps,
    ]),
    next: listNext(request, automation, runs.last),
  };
}

/** The story of an automation that an apply has deleted. */
export async function composeDeletedAutomationStory(
  request: StoryRequest,
  factory: string,
  name: string,
): Promise<Story> {
  const object = { kind: 'automation' as const, factory, name, revision: null };
  const changes = await readChanges(request, object);
  const deletion = changes.changes.find(({ verb }) => verb === 'delete');
  const subject = refAutomation(factory, name);
  const runs = await readAutomationRuns(request, { factory, name, lastRun: null });
  const when = deletion === undefined ? '' : ` at ${formatInstant(deletion.at)}${sayCommit(deletion)}`;
  const option = factoryOption(request, factory);
  return {
    subject,
    answer: `${name} was deleted${when}. It starts nothing.`,
    steps: orderSteps([...listChangeSteps(request, subject, changes), ...listRunEnds(request, subject, runs)]),
    next: [{ purpose: 'List its runs', command: `dockbell run list --automation ${name}${option}` }],
  };
}

/** Runs of an automation in the order in which they ended. */
interface AutomationRuns {
  /** Those that have not ended, then those that ended last. */
  shown: RunHistory[];
  /** Are there others? */
  more: boolean;
  /** The run that ended last; `null` if none did, or if it is not stored any more. */
  last: RunHistory | null;
  /** The most recent run, if it has not ended. */
  unfinished: RunHistory | null;
}

async function readAutomationRuns(
  request: StoryRequest,
  { factory, name, lastRun }: { factory: string; name: string; lastRun: RunId | null },
): Promise<AutomationRuns> {
  const limit = limitRead(request, READ_RUNS);
  const [{ data, nextCursor }, last] = await Promise.all([
    request.runs.list({ factory, automation: name, limit, cursor: null }),
    lastRun === null ? null : request.runs.get(lastRun),
  ]);
  const isListed = last === null || data.some(({ id }) => id === last.id);
  const ranked = [...(isListed ? [] : [last]), ...data].sort((a, b) => endOf(b) - endOf(a));
  const { shown, omitted } = cutList(request, ranked, MAX_RUNS);
  const needed = [last, data[0]].filter((run) => run != null && !shown.includes(run)) as Run[];
  const histories = await readRuns(request, [...shown, ...needed]);
  const find = (id: RunId | undefined) => histories.find(({ run }) => run.id === id) ?? null;
  const newest = find(data[0]?.id);
  return {
    shown: histories.slice(0, shown.length),
    more: omitted > 0 || nextCursor !== null,
    last: find(last?.id),
    unfinished: newest?.run.finishedAt === null ? newest : null,
  };
}

/** Runs that have not ended come first. */
function endOf({ finishedAt }: Run): number {
  return finishedAt ?? Number.MAX_SAFE_INTEGER;
}

/** Why the automation starts nothing, as sentences and as steps. */
interface Obstacles {
  reasons: string[];
  steps: StoryStep[];
}

async function findObstacles(
  request: StoryRequest,
  automation: AutomationView,
  hasNoRuns: boolean,
): Promise<Obstacles> {
  const paused = request.pauses.explain(automation.factory, automation.name);
  const inactive = await explainInactivity(request, automation);
  const unseen = hasNoRuns ? await describeUnseenKeys(request, automation) : [];
  const evaluated = hasNoRuns ? await evaluateRecent(request, automation) : [];
  const warnings = automation.warnings.map(({ message }) => message);
  const sentences = [...(paused === null ? [] : [paused]), ...inactive, ...unseen];
  const describe = (text: string) => createStep({ at: null, outcome: 'warning', text });
  return {
    reasons: [...sentences, ...evaluated.slice(0, 1).map(({ step }) => step.text)],
    steps: [...listEvaluated(request, automation, evaluated), ...[...sentences, ...warnings].map(describe)],
  };
}

function listEvaluated(request: StoryRequest, { factory, name }: AutomationView, evaluated: Evaluated[]): StoryStep[] {
  const { shown, omitted } = cutList(request, evaluated, SHOWN_EVALUATED);
  const steps = shown.map(({ step }) => step);
  if (omitted === 0) return steps;
  const text = `${countOf(omitted, 'more recent delivery', 'more recent deliveries')} did not come nearer.`;
  return [...steps, createSummary(request, refAutomation(factory, name), { at: null, text })];
}

async function explainInactivity({ inventory }: StoryRequest, automation: AutomationView): Promise<string[]> {
  const webhooks = await inventory.webhooks(automation.factory);
  const triggers = automation.triggers.map((trigger, i) => {
    if (isWebhookTrigger(trigger)) {
      return { listens_to: automation.listensTo[i] ?? [], filter: { webhook_ids: trigger.webhookIds } };
    }
    const { repositories = null } = trigger;
    const bound = webhooks.filter(({ uid }) => automation.listensTo[i]?.includes(uid));
    const service = describeService(trigger, { webhooks: bound, repositories });
    return { service: { ...service, starts_here: service.reason === null } };
  });
  return explainInactiveAutomation({ enabled: automation.enabled, triggers }, webhooks).reasons;
}

/** Keys of the filters that no recent payload had. */
async function describeUnseenKeys({ inspector }: StoryRequest, automation: AutomationView): Promise<string[]> {
  const { examined, paths } = await inspector.findUnseenKeys([...triggerFiltersByWebhook(automation)]);
  if (examined === 0 && triggerFiltersByWebhook(automation).size === 0) return [];
  if (examined === 0) return ['No delivery with a payload is stored for its webhooks.'];
  return paths.map(
    (path) =>
      `The filter asks for the key ${formatPath(path)}, which none of the ${countOf(examined, 'recent delivery', 'recent deliveries')} has.`,
  );
}

/** What the automation makes of one delivery now. */
interface Evaluated {
  step: StoryStep;
  nearness: Nearness;
}

/** What the automation makes of the most recent deliveries of its webhooks now, the nearest miss first. */
async function evaluateRecent(request: StoryRequest, automation: AutomationView): Promise<Evaluated[]> {
  const byWebhook = [...triggerFiltersByWebhook(automation)];
  const recent = await Promise.all(byWebhook.map(([webhook]) => listAccepted(request, webhook)));
  const newest = recent
    .flat()
    .sort((a, b) => b.receivedAt - a.receivedAt)
    .slice(0, MAX_EVALUATED);
  const filters = new Map(byWebhook);
  const evaluated = await Promise.all(
    newest.map((one) => evaluate(request, automation, one, filters.get(one.webhookUid)!)),
  );
  return evaluated.filter((one) => one !== null).sort((a, b) => compareNearness(a.nearness, b.nearness));
}

async function listAccepted({ deliveries }: StoryRequest, webhookUid: WebhookUid): Promise<Delivery[]> {
  const { data } = await deliveries.list({ webhookUid, label: 'Accepted', limit: MAX_EVALUATED, cursor: null });
  return data;
}

async function evaluate(
  { deliveries, inspector }: StoryRequest,
  { name, enabled }: AutomationView,
  delivery: Delivery,
  filters: Parameters<StoryRequest['inspector']['decideListeners']>[0][number]['filters'],
): Promise<Evaluated | null> {
  const bytes = await deliveries.payload(delivery.id);
  if (bytes === null) return null;
  const [decision] = await inspector.decideListeners([{ automation: name, enabled, filters }], {
    headers: parseRecordedHeaders(delivery.headers),
    payload: { bytes },
  });
  const { outcome, message, path, expected, actual, nearness = FULL_MATCH } = decision!;
  const step = createStep({
    at: delivery.receivedAt,
    text: `${nameDelivery(delivery)} ${outcome === 'started' ? 'would start it' : 'does not start it'}: ${message}.`,
    facts: listComparison({ path, expected, actual }),
    links: [refDelivery(delivery)],
    command: `dockbell why ${delivery.id}`,
  });
  return { step, nearness };
}

function describeState(
  { name, results }: AutomationView,
  { last, unfinished }: AutomationRuns,
  { reasons }: Obstacles,
): string {
  const ended = describeResults(name, results, last);
  const current = unfinished === null ? '' : ` ${describeRunState(unfinished)}`;
  const known = `${ended === '' && current === '' ? `${name} has no runs.` : ended}${current}`;
  // A run that waits names the pause that a reason names, too.
  const why = reasons.filter((reason) => !known.includes(reason)).slice(0, MAX_REASONS);
  return [known.trim(), ...why].join(' ');
}

const ENDS: Readonly<Record<Run['state'], string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'was cancelled',
  queued: 'was queued again',
  running: 'started again',
};

/** How the last runs ended; empty if none did. */
function describeResults(
  name: string,
  { lastRun, recent, recentFailed, failingSince }: RunResults,
  last: RunHistory | null,
): string {
  if (lastRun === null) return '';
  const { state, finishedAt } = lastRun;
  // A retried run has not ended again, and one that retention removed has no reason.
  const how = last?.run.finishedAt === finishedAt ? describeRunState(last) : `The run ${ENDS[state]}.`;
  const since = failingSince === null ? '' : `, and all since ${formatInstant(failingSince)}`;
  const rate =
    recentFailed === 0 ? '' : ` Of the last ${countOf(recent, 'ended run')}, ${recentFailed} failed${since}.`;
  return `The last run of ${name} ended at ${formatInstant(finishedAt)}. ${how}${rate}`;
}

/** Which commit changed the automation last, and which keys. */
function sayLastChange(change: ObjectChange | undefined): string {
  if (change === undefined) return '';
  const keys = change.changes.map(({ key }) => key).join(', ');
  const what = change.verb === 'create' ? 'created' : `changed (${keys})`;
  return ` It was last ${what} at ${formatInstant(change.at)}${sayCommit(change)}.`;
}

/** Ended runs at their end, so that the last one is the last result. */
function listRunEnds(request: StoryRequest, subject: ObjectRef, { shown, more }: AutomationRuns): StoryStep[] {
  const steps = shown.map((history) => {
    const { run } = history;
    const outcome = ({ failed: 'failed', succeeded: 'ok', cancelled: 'note', queued: 'now', running: 'now' } as const)[
      run.state
    ];
    return createStep({
      at: run.finishedAt ?? run.createdAt,
      outcome,
      text: describeRunState(history),
      links: [refRun(run.factory, run.id)],
      command: `dockbell why ${run.id}`,
    });
  });
  const at = Math.min(...steps.map((step) => step.at ?? 0)) - 1;
  return more ? [...steps, createSummary(request, subject, { at, text: 'Earlier runs ended before.' })] : steps;
}

function listNext(request: StoryRequest, { name, factory }: AutomationView, last: RunHistory | null): NextCommand[] {
  const option = factoryOption(request, factory);
  const show = { purpose: 'Show its triggers and prompt', command: `dockbell automation show ${name}${option}` };
  const test = {
    purpose: 'Test its filter on the last delivery',
    command: `dockbell filter test --automation ${name} --delivery last${option}`,
  };
  if (last === null) return [test, show];
  return [{ purpose: 'Show its last run', command: `dockbell why ${last.run.id}` }, show];
}
