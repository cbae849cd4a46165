import type { WebhookUid } from '../core/ids.ts';
import type { ObjectChange } from '../core/ports/definitions/definition-history.ts';
import type { AutomationView } from '../core/ports/definitions/inventory.ts';
import { type Delivery, parseRecordedHeaders } from '../core/resources/delivery.ts';
import type { Run } from '../core/resources/run.ts';
import { formatInstant } from '../core/time/clock.ts';
import { isWebhookTrigger, triggerFiltersByWebhook } from '../core/trigger.ts';
import { describeService } from '../triggers/describe-service.ts';
import { countOf } from '../words/count-of.ts';
import { explainInactiveAutomation } from '../words/explain-inactive-automation.ts';
import { formatPath } from '../words/payload-path.ts';
import { listChangeSteps, readChanges, sayCommit } from './change-steps.ts';
import { describeRunState, readRuns } from './run-steps.ts';
import { listScheduleSteps, saySchedule } from './schedule-steps.ts';
import { createStep, listFacts, type NextCommand, orderSteps, type Story, type StoryStep } from './story.ts';
import { factoryOption, nameDelivery, refAutomation, refDelivery, refRun, type StoryRequest } from './story-parts.ts';

const MAX_RUNS = 5;
/** Recent deliveries that are evaluated if the automation has no runs. */
const MAX_EVALUATED = 3;

/** The story of an automation: who changed it, its runs, and why it starts nothing. */
export async function composeAutomationStory(request: StoryRequest, automation: AutomationView): Promise<Story> {
  const { factory, name } = automation;
  const object = { kind: 'automation' as const, factory, name, revision: automation.revision };
  const [changes, { data: runs, nextCursor }] = await Promise.all([
    readChanges(request, object),
    request.runs.list({ factory, automation: name, limit: MAX_RUNS, cursor: null }),
  ]);
  const obstacles = await findObstacles(request, automation, runs.length === 0);
  return {
    subject: refAutomation(factory, name),
    answer: `${await describeState(request, automation, runs, obstacles)}${automation.schedules.map(saySchedule).join('')}${sayLastChange(changes.changes[0])}`,
    steps: orderSteps([
      ...listChangeSteps(request, object, changes),
      ...(await listRunEnds(request, runs)),
      ...(nextCursor === null ? [] : [describeEarlierRuns(request, automation, runs)]),
      ...automation.schedules.flatMap((schedule) => listScheduleSteps(factory, schedule)),
      ...obstacles.steps,
    ]),
    next: listNext(request, automation, runs),
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
  const { data: runs } = await request.runs.list({ factory, automation: name, limit: MAX_RUNS, cursor: null });
  const when = deletion === undefined ? '' : ` at ${formatInstant(deletion.at)}${sayCommit(deletion)}`;
  const option = factoryOption(request, factory);
  return {
    subject: refAutomation(factory, name),
    answer: `${name} was deleted${when}. It starts nothing.`,
    steps: orderSteps([...listChangeSteps(request, object, changes), ...(await listRunEnds(request, runs))]),
    next: [{ purpose: 'List its runs', command: `dockbell run list --automation ${name}${option}` }],
  };
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
    reasons: [...sentences, ...evaluated.slice(0, 1).map(({ text }) => text)],
    steps: [...evaluated, ...[...sentences, ...warnings].map(describe)],
  };
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

/** What the automation makes of the most recent deliveries of its webhooks now. */
async function evaluateRecent(request: StoryRequest, automation: AutomationView): Promise<StoryStep[]> {
  const byWebhook = [...triggerFiltersByWebhook(automation)];
  const recent = await Promise.all(byWebhook.map(([webhook]) => listAccepted(request, webhook)));
  const newest = recent
    .flat()
    .sort((a, b) => b.receivedAt - a.receivedAt)
    .slice(0, MAX_EVALUATED);
  const filters = new Map(byWebhook);
  const steps = await Promise.all(
    newest.map((one) => evaluate(request, automation, one, filters.get(one.webhookUid)!)),
  );
  return steps.filter((step) => step !== null);
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
): Promise<StoryStep | null> {
  const bytes = await deliveries.payload(delivery.id);
  if (bytes === null) return null;
  const [decision] = await inspector.decideListeners([{ automation: name, enabled, filters }], {
    headers: parseRecordedHeaders(delivery.headers),
    payload: { bytes },
  });
  const { outcome, message, path, expected, actual } = decision!;
  return createStep({
    at: delivery.receivedAt,
    text: `${nameDelivery(delivery)} ${outcome === 'started' ? 'would start it' : 'does not start it'}: ${message}.`,
    facts:
      path === null ? [] : listFacts({ Key: path, Expected: JSON.stringify(expected), Actual: JSON.stringify(actual) }),
    links: [refDelivery(delivery)],
    command: `dockbell why ${delivery.id}`,
  });
}

async function describeState(
  request: StoryRequest,
  { name, enabled, results }: AutomationView,
  runs: readonly Run[],
  { reasons }: Obstacles,
): Promise<string> {
  const why = reasons.length === 0 ? '' : ` ${reasons.slice(0, 3).join(' ')}`;
  const [last] = await readRuns(request, runs.slice(0, 1));
  if (last === undefined) return `${name} has no runs.${why}`;
  const isIdle = !enabled ? why : reasons.length === 0 ? '' : why;
  const { recent, recentFailed, failingSince } = results;
  const since = failingSince === null ? '' : `, and all since ${formatInstant(failingSince)}`;
  const rate =
    recentFailed === 0 ? '' : ` Of the last ${countOf(recent, 'ended run')}, ${recentFailed} failed${since}.`;
  return `${name} last started at ${formatInstant(last.run.createdAt)}. ${describeRunState(last)}${rate}${isIdle}`;
}

/** Which commit changed the automation last, and which keys. */
function sayLastChange(change: ObjectChange | undefined): string {
  if (change === undefined) return '';
  const keys = change.changes.map(({ key }) => key).join(', ');
  const what = change.verb === 'create' ? 'created' : `changed (${keys})`;
  return ` It was last ${what} at ${formatInstant(change.at)}${sayCommit(change)}.`;
}

async function listRunEnds(request: StoryRequest, runs: readonly Run[]): Promise<StoryStep[]> {
  return (await readRuns(request, runs)).map((history) => {
    const { run } = history;
    const outcome = ({ failed: 'failed', succeeded: 'ok', cancelled: 'note', queued: 'now', running: 'now' } as const)[
      run.state
    ];
    return createStep({
      at: run.createdAt,
      outcome,
      text: describeRunState(history),
      links: [refRun(run.factory, run.id)],
      command: `dockbell why ${run.id}`,
    });
  });
}

function describeEarlierRuns(
  request: StoryRequest,
  { factory, name }: AutomationView,
  runs: readonly Run[],
): StoryStep {
  const command = `dockbell run list --automation ${name}${factoryOption(request, factory)}`;
  const before = runs.at(-1)?.createdAt ?? 0;
  return createStep({ at: before - 1, text: 'Earlier runs are not shown.', command });
}

function listNext(request: StoryRequest, { name, factory }: AutomationView, runs: readonly Run[]): NextCommand[] {
  const option = factoryOption(request, factory);
  const show = { purpose: 'Show its triggers and prompt', command: `dockbell automation show ${name}${option}` };
  const test = {
    purpose: 'Test its filter on the last delivery',
    command: `dockbell filter test --automation ${name} --delivery last${option}`,
  };
  const [last] = runs;
  if (last === undefined) return [test, show];
  return [{ purpose: 'Show its last run', command: `dockbell why ${last.id}` }, show];
}
