import type { DeliveryId } from '../../domain/ids.ts';
import type { Decision, Delivery } from '../../domain/resources/delivery.ts';
import { describeDeliveryReason } from '../../domain/words/delivery-reasons.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { createSummary, cutList, limitRead, MAX_ENTRIES } from './cut-list.ts';
import { listDecisionSteps, rankMisses } from './decision-steps.ts';
import { explainRejection, listReceiptSteps } from './receipt-steps.ts';
import { findReplayAuthors } from './replay-authors.ts';
import { countStarted, describeRunState, listRunSteps, type RunHistory, rankRuns, readRuns } from './run-steps.ts';
import { createStep, type NextCommand, orderSteps, type Story, type StoryStep } from './story.ts';
import { factoryOption, refDelivery, refRun, type StoryRequest } from './story-parts.ts';

/** Runs and repetitions that a story shows. */
const MAX_RUNS = 10;
const MAX_REPETITIONS = 5;

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
    const steps = orderSteps([...original, ...receipt, ...describeRepetitions(request, delivery, repetitions)]);
    return { subject, answer, steps, next: listUnacceptedNext(request, delivery) };
  }
  const [decisions, { runs, omitted }] = await Promise.all([
    request.decisions(delivery),
    readStarted(request, delivery),
  ]);
  return {
    subject,
    answer: describeAccepted(decisions, runs, delivery, repetitions),
    steps: orderSteps([
      ...receipt,
      ...(await listDecisionSteps(request, delivery, decisions)),
      ...runs.flatMap((run) => listRunSteps(request, run)),
      ...listMoreRuns(request, delivery, omitted),
      ...describeRepetitions(request, delivery, repetitions),
    ]),
    next: listAcceptedNext(delivery, runs),
  };
}

/** The runs of a delivery, those that need somebody first. */
async function readStarted(
  request: StoryRequest,
  { factory, id }: Delivery,
): Promise<{ runs: RunHistory[]; omitted: number }> {
  const search = { factory, delivery: id, limit: MAX_ENTRIES, cursor: null };
  const { data } = await request.runs.list(search);
  const { shown, omitted } = cutList(request, rankRuns(data), MAX_RUNS);
  return { runs: await readRuns(request, shown), omitted };
}

/** The other entries with the same ID: duplicates, replays and rejections, newest first. */
async function listRepetitions(
  request: StoryRequest,
  { id, webhookUid, deliveryId }: Delivery,
): Promise<{ others: Delivery[]; more: boolean; authors: ReadonlyMap<DeliveryId, string> }> {
  if (deliveryId === null) return { others: [], more: false, authors: new Map() };
  const search = { webhookUid, label: null, identity: deliveryId, cursor: null };
  const limit = limitRead(request, MAX_REPETITIONS) + 1;
  const { data } = await request.deliveries.list({ ...search, limit });
  const others = data.filter((other) => other.id !== id);
  const replayed = others.filter(({ replayOf }) => replayOf === id);
  const authors = await findReplayAuthors(request, id, replayed);
  const { shown, omitted } = cutList(request, others, MAX_REPETITIONS);
  return { others: shown, more: omitted > 0, authors };
}

type Repetitions = Awaited<ReturnType<typeof listRepetitions>>;

function describeRepetitions(
  request: StoryRequest,
  delivery: Delivery,
  { others, more, authors }: Repetitions,
): StoryStep[] {
  const { factory } = delivery;
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
  const text = 'More entries have this delivery ID.';
  return [...steps, createSummary(request, refDelivery(delivery), { at: null, text })];
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
  return original === null
    ? []
    : (await readStarted(request, original)).runs.flatMap((run) => listRunSteps(request, run));
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
    ? `Duplicate of ${original}, although its body differs: it started nothing, and its body is not stored. ${text}`
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
  const [first, ...others] = rankMisses(decisions);
  if (first === undefined) {
    return 'Accepted, but started nothing: no automation listened to the webhook when the delivery arrived.';
  }
  const more = others.length === 0 ? '' : ` ${countOf(others.length, 'other automation')} did not start either.`;
  return `Accepted, but started nothing. ${first.automation} did not start: ${first.message}.${more}`;
}

function listMoreRuns(request: StoryRequest, delivery: Delivery, omitted: number): StoryStep[] {
  if (omitted === 0) return [];
  const text = `${countOf(omitted, 'more run')} started.`;
  return [createSummary(request, refDelivery(delivery), { at: delivery.receivedAt, text })];
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

function listAcceptedNext({ id }: Delivery, runs: readonly RunHistory[]): NextCommand[] {
  const replay = { purpose: 'Evaluate it again with the live automations', command: `dockbell delivery replay ${id}` };
  const payload = { purpose: 'Print the payload', command: `dockbell delivery show ${id} --payload` };
  const [first] = runs;
  if (first === undefined) return [payload, replay];
  return [
    { purpose: `Show the run of ${first.run.automation}`, command: `dockbell why ${first.run.id}` },
    payload,
    replay,
  ];
}
