import type { WebhookView } from '../../domain/ports/inventory.ts';
import type { Delivery, PastListener } from '../../domain/resources/delivery.ts';
import { findOverlapEnd } from '../../domain/secrets/rotation-overlap.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { quoteForShell } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { describeRejections } from '../../domain/words/recent-activity.ts';
import { describeUnlogged } from '../../domain/words/unlogged-reasons.ts';
import { listChangeSteps, readChanges, sayCommit } from './change-steps.ts';
import { createSummary, cutList, MAX_ENTRIES } from './cut-list.ts';
import { explainRejection } from './receipt-steps.ts';
import { countStarted } from './run-steps.ts';
import { createStep, listFacts, type NextCommand, orderSteps, type Story, type StoryStep } from './story.ts';
import {
  factoryOption,
  nameDelivery,
  refAutomation,
  refDelivery,
  refWebhook,
  type StoryRequest,
} from './story-parts.ts';
import { listVersionSteps } from './version-steps.ts';

/** Automations of the webhook that a story names. */
const MAX_LISTENERS = 20;

/** The newest deliveries of a webhook of each kind; `null` if there is none in the log. */
interface Traffic {
  accepted: Delivery | null;
  rejected: Delivery | null;
}

/** The story of a webhook: who changed it, its secret, what arrives, and why senders get an error. */
export async function composeWebhookStory(request: StoryRequest, webhook: WebhookView): Promise<Story> {
  const subject = refWebhook(webhook);
  const [changes, traffic, listeners, versions, touches, unlogged] = await Promise.all([
    readChanges(request, { kind: 'webhook', ...webhook }),
    readTraffic(request, webhook),
    request.deliveries.listeners({
      webhook: webhook.uid,
      applyNumber: Number.MAX_SAFE_INTEGER,
      names: null,
      after: null,
      limit: MAX_ENTRIES + 1,
    }),
    listVersionSteps(request, subject, webhook.secretName, webhook.secretVersion),
    listEdits(request, webhook),
    listUnloggedSteps(request, webhook),
  ]);
  const closed = explainClosed(request, webhook);
  const responsible = closed === null ? '' : sayResponsible(webhook, changes.changes, touches);
  const main = closed === null ? await describeTraffic(request, webhook, traffic) : `${closed}${responsible}`;
  const state = [main, ...unlogged.map(({ text }) => text)].join(' ');
  return {
    subject,
    answer: state,
    steps: orderSteps([
      ...listChangeSteps(request, subject, changes),
      ...touches,
      ...versions,
      ...describePin(webhook),
      ...(await listTrafficSteps(request, traffic)),
      ...unlogged,
      ...(webhook.deletedAt === null ? describeListeners(request, webhook, listeners) : []),
      ...(closed === null ? [] : [createStep({ at: null, outcome: 'failed', text: closed })]),
    ]),
    next: listNext(request, webhook, traffic, closed !== null),
  };
}

async function readTraffic({ deliveries }: StoryRequest, { uid }: WebhookView): Promise<Traffic> {
  const newest = async (label: Delivery['label']) =>
    (await deliveries.list({ webhookUid: uid, label, limit: 1, cursor: null })).data[0] ?? null;
  const rejected = await Promise.all([
    newest('Rejected (auth)'),
    newest('Rejected (invalid JSON)'),
    newest('Rejected (too large)'),
  ]);
  const [last] = rejected.filter((one) => one !== null).sort((a, b) => b.receivedAt - a.receivedAt);
  return { accepted: await newest('Accepted'), rejected: last ?? null };
}

/** Why the ingress answers 404 to every request; `null` if the webhook takes deliveries. */
function explainClosed(
  { isConfigured }: StoryRequest,
  { name, factory, deletedAt, enabled }: WebhookView,
): string | null {
  if (deletedAt !== null) return `${name} was deleted at ${formatInstant(deletedAt)}: senders get 404.`;
  if (!isConfigured(factory)) return `The configuration has no factory ${factory}: senders of ${name} get 404.`;
  return enabled ? null : `${name} is disabled: senders get 404.`;
}

/** The commit or the person that deleted or disabled the webhook. */
function sayResponsible(
  { deletedAt, enabled }: WebhookView,
  changes: Awaited<ReturnType<typeof readChanges>>['changes'],
  touches: readonly StoryStep[],
): string {
  const change = changes.find(({ verb, changes }) =>
    deletedAt === null
      ? !enabled && changes.some(({ key, to }) => key === 'enabled' && to === false)
      : verb === 'delete',
  );
  if (change === undefined) return '';
  const by = touches.find(({ at }) => at !== null && Math.abs(at - change.at) < EDIT_MS)?.by ?? null;
  const commit = sayCommit(change);
  const verb = deletedAt === null ? 'disabled' : 'deleted';
  return ` It was ${verb}${commit}${commit.includes(' by ') || by === null ? '' : ` by ${by}`}.`;
}

/** An edit is logged after its apply. */
const EDIT_MS = 10_000;

/** What is arriving: since when requests fail to authenticate, and when the last delivery was accepted. */
async function describeTraffic(request: StoryRequest, webhook: WebhookView, { rejected }: Traffic): Promise<string> {
  const { name } = webhook;
  const { lastAcceptedAt, credentialFailure } = webhook.traffic;
  const last =
    lastAcceptedAt === null
      ? 'No delivery was ever accepted.'
      : `The last delivery was accepted at ${formatInstant(lastAcceptedAt)}.`;
  const reason = rejected === null ? '' : ` ${await explainRejection(request, rejected)}`;
  const partial = await describePartialRejection(request, webhook);
  if (partial !== null) return `${name} accepts some requests and ${partial}${reason} ${last}`;
  if (credentialFailure !== null) {
    const { since, count } = credentialFailure;
    const failed = `${countOf(count, 'request')} failed to authenticate since ${formatInstant(since)}`;
    return `${name} rejects its senders: ${failed}. ${last}${reason}`;
  }
  if (rejected !== null && (lastAcceptedAt === null || rejected.receivedAt > lastAcceptedAt)) {
    return `${name} rejected the last request. ${last}${reason}`;
  }
  return lastAcceptedAt === null ? `${name} is enabled, and no request arrived.` : `${name} takes deliveries. ${last}`;
}

/** Rejected requests before and after an accepted one: several senders share the webhook. `null` for none. */
async function describePartialRejection(request: StoryRequest, webhook: WebhookView): Promise<string | null> {
  const { accepted, duplicate, rejected, rejections } = await request.requests(webhook);
  const { lastAcceptedAt, credentialFailure } = webhook.traffic;
  if (rejections === null || lastAcceptedAt === null) return null;
  if (accepted === 0 || rejections.count <= (credentialFailure?.count ?? 0)) return null;
  const of = accepted + duplicate + rejected;
  return describeRejections({ ...rejections, of, since: formatInstant(rejections.since), reasonText: null });
}

async function listTrafficSteps(request: StoryRequest, { accepted, rejected }: Traffic): Promise<StoryStep[]> {
  const steps: StoryStep[] = [];
  if (accepted !== null) {
    const text = `Last accepted delivery: ${nameDelivery(accepted)}. It started ${countStarted(accepted.runs)}.`;
    const links = [refDelivery(accepted)];
    steps.push(
      createStep({ at: accepted.receivedAt, outcome: 'ok', text, links, command: `dockbell why ${accepted.id}` }),
    );
  }
  if (rejected !== null) {
    const text = `Last rejected request: ${await explainRejection(request, rejected)}`;
    const facts = listFacts({ Label: rejected.label, 'Client address': rejected.clientAddress });
    const links = [refDelivery(rejected)];
    const command = `dockbell why ${rejected.id}`;
    steps.push(createStep({ at: rejected.receivedAt, outcome: 'failed', text, facts, links, command }));
  }
  return steps;
}

const DAY_MS = 24 * 60 * 60_000;

/** Requests without an entry in the log, by reason. */
async function listUnloggedSteps({ unlogged, nowMs }: StoryRequest, { uid }: WebhookView): Promise<StoryStep[]> {
  const counts = await unlogged.list({ webhookUid: uid, sinceAt: nowMs() - DAY_MS });
  return counts.map(({ reason, count, lastAt }) => {
    const { status, text } = describeUnlogged(reason);
    const got = status === null ? 'ended without an answer' : `got ${status}`;
    const what = `In the last 24 hours, ${countOf(count, 'request')} ${got} and left no entry in the log. ${text}`;
    return createStep({ at: lastAt, outcome: 'warning', text: what, facts: listFacts({ Reason: reason }) });
  });
}

/** Since when the webhook checks its version of the secret. */
function describePin(webhook: WebhookView): StoryStep[] {
  const { secretPinnedAt, secretName, secretVersion, previousSecretVersion, secretState } = webhook;
  if (secretPinnedAt === null) return [];
  const overlapEnd = findOverlapEnd(webhook);
  const overlap =
    overlapEnd === null ? '' : ` Version ${previousSecretVersion} is accepted until ${formatInstant(overlapEnd)}.`;
  const state = {
    current: '',
    outdated: ' A newer version exists, which the next apply uses.',
    missing: ' The secret was deleted.',
  };
  return [
    createStep({
      at: secretPinnedAt,
      outcome: secretState === 'current' ? 'note' : 'warning',
      text: `The webhook checks version ${secretVersion} of ${secretName} since then.${overlap}${state[secretState]}`,
    }),
  ];
}

/** Edits through the API, which have an author in addition to the commit. */
async function listEdits({ touches }: StoryRequest, { factory, uid }: WebhookView): Promise<StoryStep[]> {
  const found = await touches(`factories/${encodeURIComponent(factory)}/webhooks/${uid}`, 5);
  return found.flatMap(({ at, by, action }) =>
    by === null ? [] : [createStep({ at, by, text: `${action}: ${by}.` })],
  );
}

function describeListeners(
  request: StoryRequest,
  { factory, name, uid }: WebhookView,
  listeners: readonly PastListener[],
): StoryStep[] {
  const subject = refWebhook({ factory, name, uid });
  if (listeners.length === 0) {
    return [
      createStep({
        at: null,
        outcome: 'warning',
        text: `No automation listens to ${name}: its deliveries start nothing.`,
      }),
    ];
  }
  const ranked = [...listeners].sort((a, b) => Number(b.enabled) - Number(a.enabled));
  const { shown, omitted } = cutList(request, ranked, MAX_LISTENERS);
  const names = shown.map(({ automation, enabled }) => `${automation}${enabled ? '' : ' (disabled)'}`).join(', ');
  const count = `${countOf(listeners.length, 'automation')} ${listeners.length === 1 ? 'listens' : 'listen'} to it`;
  const links = shown.map(({ automation }) => refAutomation(factory, automation));
  if (omitted === 0) return [createStep({ at: null, text: `${count}: ${names}.`, links })];
  const text = `${count}: ${names} and ${omitted} more.`;
  return [createSummary(request, subject, { at: null, text, links })];
}

function listNext(
  request: StoryRequest,
  { name, factory, uid, deletedAt }: WebhookView,
  { rejected, accepted }: Traffic,
  isClosed: boolean,
): NextCommand[] {
  const option = factoryOption(request, factory);
  const target = deletedAt === null ? name : uid;
  const log = { purpose: 'List its deliveries', command: `dockbell delivery list ${target}${option}` };
  const show = { purpose: 'Show its settings', command: `dockbell webhook show ${target}${option}` };
  const isFailing = rejected !== null && (accepted === null || accepted.receivedAt < rejected.receivedAt);
  if (!request.isConfigured(factory)) return [...listFactoryChoices(factory), show];
  if (isClosed || !isFailing) return [show, log];
  return [{ purpose: 'Explain the last rejection', command: `dockbell why ${rejected.id}` }, log, show];
}

/** What to do about a factory that the configuration no longer names. */
function listFactoryChoices(factory: string): NextCommand[] {
  const name = quoteForShell(factory);
  return [
    { purpose: 'Keep its URLs under a new name', command: `dockbell factory rename ${name} NEW_NAME` },
    { purpose: 'Remove it', command: `dockbell factory forget ${name}` },
  ];
}
