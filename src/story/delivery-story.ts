import type { DeliveryId } from '../core/ids.ts';
import type { AutomationView } from '../core/ports/definitions/inventory.ts';
import type { Decision, Delivery } from '../core/resources/delivery.ts';
import { countOf } from '../words/count-of.ts';
import { describeDeliveryReason } from '../words/delivery-reasons.ts';
import { explainRejection, listReceiptSteps } from './receipt-steps.ts';
import { findReplayAuthors } from './replay-authors.ts';
import { countStarted, describeRunState, listRunSteps, type RunHistory, readRuns } from './run-steps.ts';
import { createStep, listFacts, type NextCommand, orderSteps, type Story, type StoryStep } from './story.ts';
import { factoryOption, refAutomation, refDelivery, refRun, type StoryRequest } from './story-parts.ts';

/** Decisions of automations that did not start, runs, and repetitions that a story shows. */
const MAX_DECISIONS = 10;
const MAX_RUNS = 10;
const MAX_REPETITIONS = 5;
/** Decisions that are read. Those of automations that started come first. */
const READ_DECISIONS = 200;

/** The story of a delivery: receipt, verification, decisions, runs, and its repetitions and replays. */
export async function composeDeliveryStory(request: StoryRequest, delivery: Delivery): Promise<Story> {
  const [receipt, repetitions] = await Promise.all([
    listReceiptSteps(request, delivery),
    listRepetitions(request, delivery),
  ]);
  const subject = refDelivery(delivery);
  if (delivery.label !== 'Accepted') {
    const original = delivery.label === 'Duplicate' ? await describeOriginal(request, delivery) : [];
    const answer = await describeUnaccepted(request, delivery);
    const steps = orderSteps([...original, ...receipt, ...describeRepetitions(delivery, repetitions)]);
    return { subject, answer, steps, next: listUnacceptedNext(request, delivery) };
  }
  const [decided, runs] = await Promise.all([
    request.decisions(delivery, READ_DECISIONS),
    readStarted(request, delivery),
  ]);
  return {
    subject,
    answer: describeAccepted(decided.decisions, runs, delivery, repetitions),
    steps: orderSteps([
      ...receipt,
      ...(await listDecisionSteps(request, delivery, decided)),
      ...runs.flatMap(listRunSteps),
      ...listMoreRuns(request, delivery),
      ...describeRepetitions(delivery, repetitions),
    ]),
    next: listAcceptedNext(delivery, runs),
  };
}

async function readStarted(request: StoryRequest, { runs }: Delivery): Promise<RunHistory[]> {
  const found = await Promise.all(runs.slice(0, MAX_RUNS).map((id) => request.runs.get(id)));
  return readRuns(
    request,
    found.filter((run) => run !== null),
  );
}

/** The other entries with the same ID: duplicates, replays and rejections, newest first. */
async function listRepetitions(
  request: StoryRequest,
  { id, webhookUid, deliveryId }: Delivery,
): Promise<{ others: Delivery[]; more: boolean; authors: ReadonlyMap<DeliveryId, string> }> {
  if (deliveryId === null) return { others: [], more: false, authors: new Map() };
  const limit = MAX_REPETITIONS + 2;
  const search = { webhookUid, label: null, identity: deliveryId, cursor: null, limit };
  const { data } = await request.deliveries.list(search);
  const others = data.filter((other) => other.id !== id);
  const replayed = others.filter(({ replayOf }) => replayOf === id);
  const authors = await findReplayAuthors(request, id, replayed);
  return { others: others.slice(0, MAX_REPETITIONS), more: others.length > MAX_REPETITIONS, authors };
}

type Repetitions = Awaited<ReturnType<typeof listRepetitions>>;

function describeRepetitions(
  { factory, webhookName, deliveryId }: Delivery,
  { others, more, authors }: Repetitions,
): StoryStep[] {
  const steps = others.map((other) => {
    const isSwallowed = other.reason === 'same_identity_other_body';
    const by = authors.get(other.id) ?? null;
    return createStep({
      at: other.receivedAt,
      by,
      outcome: isSwallowed || other.label === null || other.label.startsWith('Rejected') ? 'warning' : 'note',
      text: describeRepetition(other, by),
      links: [refDelivery({ ...other, deliveryId: other.id }), ...other.runs.map((run) => refRun(factory, run))],
      command: `dockbell why ${other.id}`,
    });
  });
  if (!more) return steps;
  const command = `dockbell delivery list ${webhookName} --delivery-id ${deliveryId}`;
  return [...steps, createStep({ at: null, text: 'More entries have this delivery ID.', command })];
}

function describeRepetition({ label, reason, detail, replayOf, runs }: Delivery, by: string | null): string {
  if (replayOf !== null) {
    return `${by ?? 'A user'} replayed ${replayOf}, which started ${countStarted(runs)}.`;
  }
  if (label === 'Duplicate') return `A duplicate arrived: ${describeDeliveryReason(reason ?? 'same_identity')}`;
  if (label === 'Accepted') return `The first delivery with this ID was accepted and started ${countStarted(runs)}.`;
  if (label === null) return `A request with this ID was one of those that got 429: ${detail}`;
  return `A request with this ID was ${label}: ${describeDeliveryReason(reason ?? label)}`;
}

/** The runs of the delivery that a duplicate repeats. */
async function describeOriginal(request: StoryRequest, { duplicateOf }: Delivery): Promise<StoryStep[]> {
  const original = duplicateOf === null ? null : await request.deliveries.get(duplicateOf);
  return original === null ? [] : (await readStarted(request, original)).flatMap(listRunSteps);
}

async function describeUnaccepted(request: StoryRequest, delivery: Delivery): Promise<string> {
  const { label, reason, duplicateOf } = delivery;
  if (label === null) return explainRejection(request, delivery);
  if (label !== 'Duplicate') {
    const what = delivery.count > 1 ? `${label}, ${delivery.count} requests` : label;
    return `${what}. ${await explainRejection(request, delivery)}`;
  }
  const text = describeDeliveryReason(reason ?? 'same_identity');
  const original = duplicateOf === null ? 'an earlier delivery that is no longer stored' : duplicateOf;
  return reason === 'same_identity_other_body'
    ? `Duplicate of ${original}, although it is another event: it started nothing, and its body is not stored. ${text}`
    : `Duplicate of ${original}: it started nothing. ${text}`;
}

function describeAccepted(
  decisions: readonly Decision[],
  runs: readonly RunHistory[],
  { runs: started }: Delivery,
  { others, authors }: Repetitions,
): string {
  const replays = others.filter(({ replayOf }) => replayOf !== null);
  const swallowed = others.filter(({ reason }) => reason === 'same_identity_other_body');
  const parts = [
    started.length === 0
      ? describeNothingStarted(decisions)
      : `Accepted, and started ${countOf(started.length, 'run')}.`,
    ...runs.slice(0, 3).map(describeRunState),
    replays.length === 0
      ? ''
      : `It was replayed ${replays.length === 1 ? 'once' : `${replays.length} times`}${sayReplayers(authors)}, which started ${countOf(
          replays.reduce((sum, { runs }) => sum + runs.length, 0),
          'more run',
        )}.`,
    swallowed.length === 0 ? '' : 'A later request with the same ID had another body, and started nothing.',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** ` by alice` */
function sayReplayers(authors: ReadonlyMap<DeliveryId, string>): string {
  const names = [...new Set(authors.values())];
  return names.length === 0 ? '' : ` by ${names.slice(0, 3).join(', ')}`;
}

function describeNothingStarted(decisions: readonly Decision[]): string {
  const [first, ...others] = decisions;
  if (first === undefined) {
    return 'Accepted, but started nothing: no automation listened to the webhook when the delivery arrived.';
  }
  const more = others.length === 0 ? '' : ` ${countOf(others.length, 'other automation')} did not start either.`;
  return `Accepted, but started nothing. ${first.automation} did not start: ${first.message}.${more}`;
}

async function listDecisionSteps(
  request: StoryRequest,
  delivery: Delivery,
  { decisions, more }: { decisions: Decision[]; more: boolean },
): Promise<StoryStep[]> {
  const started = decisions.filter(({ outcome }) => outcome === 'started').slice(0, MAX_RUNS);
  const others = decisions.filter(({ outcome }) => outcome !== 'started');
  const shown = [...started, ...others.slice(0, MAX_DECISIONS)];
  const steps = await Promise.all(shown.map((decision) => describeDecision(request, delivery, decision)));
  const omitted = others.length - MAX_DECISIONS;
  if (omitted <= 0 && !more) return steps;
  const count = more ? `More than ${omitted}` : String(omitted);
  const text = `${count} other automations did not start.`;
  return [...steps, createStep({ at: delivery.receivedAt, text, command: explainCommand(delivery) })];
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
    facts:
      path === null ? [] : listFacts({ Key: path, Expected: JSON.stringify(expected), Actual: JSON.stringify(actual) }),
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

function listMoreRuns(request: StoryRequest, { runs, id, factory, receivedAt }: Delivery): StoryStep[] {
  const omitted = runs.length - MAX_RUNS;
  if (omitted <= 0) return [];
  const command = `dockbell run list --delivery ${id}${factoryOption(request, factory)}`;
  return [createStep({ at: receivedAt, text: `${omitted} more runs are not shown.`, command })];
}

function explainCommand({ id }: Delivery): string {
  return `dockbell delivery show ${id} --explain`;
}

function listUnacceptedNext(
  request: StoryRequest,
  { id, label, duplicateOf, webhookName, factory }: Delivery,
): NextCommand[] {
  const webhook = {
    purpose: 'Show the webhook',
    command: `dockbell why webhook:${webhookName}${factoryOption(request, factory)}`,
  };
  if (label === 'Rejected (auth)') {
    return [{ purpose: 'Find the mistake of the sender', command: `dockbell diagnose ${id}` }, webhook];
  }
  if (duplicateOf === null) return [webhook];
  return [{ purpose: 'Show the accepted delivery', command: `dockbell why ${duplicateOf}` }, webhook];
}

function listAcceptedNext(delivery: Delivery, runs: readonly RunHistory[]): NextCommand[] {
  const { id } = delivery;
  const replay = { purpose: 'Evaluate it again with the live automations', command: `dockbell delivery replay ${id}` };
  const payload = { purpose: 'Print the payload', command: `dockbell delivery show ${id} --payload` };
  const [first] = [...runs].sort((a, b) => rateUrgency(a) - rateUrgency(b));
  if (first === undefined)
    return [{ purpose: 'Show every decision', command: explainCommand(delivery) }, payload, replay];
  return [
    { purpose: `Show the run of ${first.run.automation}`, command: `dockbell why ${first.run.id}` },
    payload,
    replay,
  ];
}

/** Runs that need somebody first. */
function rateUrgency({ run }: RunHistory): number {
  return ['failed', 'queued', 'running', 'cancelled', 'succeeded'].indexOf(run.state);
}
