import { roleHolds } from '../../domain/access/access.ts';
import type { ObjectChange } from '../../domain/ports/definitions.ts';
import type { WebhookView } from '../../domain/ports/inventory.ts';
import { type Delivery, parseRecordedHeaders } from '../../domain/resources/delivery.ts';
import { findOverlapEnd } from '../../domain/secrets/rotation-overlap.ts';
import { describeIdentitySource, isTickSource } from '../../domain/words/deliveries.ts';
import { describeDeliveryReason } from '../../domain/words/delivery-reasons.ts';
import { readChanges } from './change-steps.ts';
import { findReplayAuthors } from './replay-authors.ts';
import { createStep, listFacts, type StoryStep } from './story.ts';
import { refDelivery, refWebhook, type StoryRequest } from './story-parts.ts';

/** What happened to a delivery until it was accepted or rejected: received, verified, identified. */
export async function listReceiptSteps(request: StoryRequest, delivery: Delivery): Promise<StoryStep[]> {
  const received = await describeReceipt(request, delivery);
  if (delivery.replayOf !== null || isTickSource(delivery.webhookName)) return [received];
  if (delivery.label === null) return [await describeRejection(request, delivery)];
  if (delivery.label === 'Rejected (too large)') return [received, await describeRejection(request, delivery)];
  if (delivery.label === 'Rejected (auth)') return [received, await describeRejection(request, delivery)];
  const verified = await describeVerification(request, delivery);
  if (delivery.label === 'Rejected (invalid JSON)') {
    return [received, verified, await describeRejection(request, delivery)];
  }
  return [received, verified, describeIdentity(delivery)];
}

async function describeReceipt(request: StoryRequest, delivery: Delivery): Promise<StoryStep> {
  const {
    factory,
    webhookUid,
    webhookName,
    replayOf,
    event,
    summary,
    size,
    clientAddress,
    receivedAt,
    revision,
    count,
  } = delivery;
  const commit = revision === null ? null : { revision, commit: await request.history.commit(factory, revision) };
  const webhook = refWebhook({ factory, uid: webhookUid, name: webhookName });
  const facts = listFacts({
    Event: event,
    Summary: summary,
    Size: `${size} bytes`,
    'Client address': clientAddress === '' ? null : clientAddress,
    ID: delivery.id,
    Replay: delivery.replay,
    Backfill:
      delivery.label === 'Accepted' && delivery.reason !== null && !isTickSource(delivery.webhookName)
        ? describeDeliveryReason(delivery.reason)
        : null,
    Requests: count > 1 ? String(count) : null,
    ...describeHeaders(delivery),
  });
  if (replayOf === null) {
    const what = delivery.label?.startsWith('Rejected') ? 'a request' : 'a delivery';
    const text = isTickSource(delivery.webhookName)
      ? `${summary} was due.`
      : `${webhookName} received ${event ?? (count > 1 ? `${count} requests` : what)}.`;
    return createStep({
      at: receivedAt,
      text,
      facts,
      commit,
      links: isTickSource(delivery.webhookName) ? [] : [webhook],
    });
  }
  const by = (await findReplayAuthors(request, replayOf, [delivery])).get(delivery.id) ?? null;
  const text = `${by ?? 'A user'} replayed ${replayOf} with ${await nameDefinition(request, delivery)}.`;
  return createStep({
    at: receivedAt,
    text,
    facts,
    commit,
    by,
    links: [{ kind: 'delivery', factory, id: replayOf, name: replayOf }, webhook],
  });
}

async function nameDefinition({ replays }: StoryRequest, { replay }: Delivery): Promise<string> {
  const whole = replay === null ? null : await replays.get(replay);
  return whole?.asOf === 'then' ? 'the automations that it started when it was received' : 'the live automations';
}

/** The stored request headers. */
function describeHeaders({ headers }: Delivery): Record<string, string> {
  return Object.fromEntries(Object.entries(parseRecordedHeaders(headers)).slice(0, MAX_HEADERS));
}

const MAX_HEADERS = 10;

const CREDENTIAL_WORDS = {
  token: 'The bearer token is',
  url_token: 'The token in the URL is',
  signature: 'The signature verifies with',
} as const;

/** Which version of the secret verified the request: the one that the webhook checked then. */
async function describeVerification(request: StoryRequest, { webhookUid, receivedAt }: Delivery): Promise<StoryStep> {
  const webhook = await request.inventory.webhook(webhookUid);
  if (webhook === null) return createStep({ at: receivedAt, outcome: 'ok', text: 'The credentials are valid.' });
  const version = await findVersion(request, webhook, receivedAt);
  const which = version === null ? webhook.secretName : `${version} of ${webhook.secretName}`;
  return createStep({
    at: receivedAt,
    outcome: 'ok',
    text: `${CREDENTIAL_WORDS[webhook.authMode]} ${which}.`,
    facts: listFacts({ Scheme: webhook.signatureScheme }),
  });
}

/** `version 2`, or both versions during an overlap; `null` if it is not known. */
async function findVersion(request: StoryRequest, webhook: WebhookView, at: number): Promise<string | null> {
  const { secretVersion, previousSecretVersion, secretPinnedAt } = webhook;
  if (secretPinnedAt === null) return null;
  if (at >= secretPinnedAt) {
    const isOverlap = at < (findOverlapEnd(webhook) ?? 0);
    return isOverlap ? `version ${secretVersion} or ${previousSecretVersion}` : `version ${secretVersion}`;
  }
  const { changes } = await readChanges(request, { kind: 'webhook', ...webhook });
  const before = findPinBefore(changes, at);
  return before === null ? null : `version ${before}`;
}

/** The version that the oldest later change replaced. */
function findPinBefore(changes: readonly ObjectChange[], at: number): string | null {
  const later = changes.filter((change) => change.at > at).flatMap(({ changes }) => changes);
  const pin = later.filter(({ key }) => key === 'secretVersion').at(-1);
  return typeof pin?.from === 'number' ? String(pin.from) : null;
}

/** Whether the delivery is new, and what it was recognized by. */
function describeIdentity({
  label,
  reason,
  deliveryId,
  deliveryIdSource,
  deduplicated,
  duplicateOf,
  factory,
  receivedAt,
}: Delivery): StoryStep {
  const facts = listFacts({
    'Delivery ID': deliveryId,
    'Identified by': describeIdentitySource(deliveryIdSource, deduplicated),
  });
  if (label !== 'Duplicate') {
    const text = deduplicated
      ? 'It is new: no earlier delivery has its ID.'
      : 'It is new: with "deduplicate: false", every delivery to the webhook is.';
    return createStep({ at: receivedAt, outcome: 'ok', facts, text });
  }
  const isSwallowed = reason === 'same_identity_other_body';
  const links =
    duplicateOf === null ? [] : [{ kind: 'delivery' as const, factory, id: duplicateOf, name: duplicateOf }];
  const text = describeDeliveryReason(reason ?? 'same_identity');
  return createStep({ at: receivedAt, outcome: isSwallowed ? 'warning' : 'note', text, facts, links });
}

/** Why a request was rejected, and what to do. */
async function describeRejection(request: StoryRequest, delivery: Delivery): Promise<StoryStep> {
  const { reason, detail, label, receivedAt } = delivery;
  return createStep({
    at: receivedAt,
    outcome: 'failed',
    text: await explainRejection(request, delivery),
    facts: listFacts({ Label: label, Reason: reason, Detail: detail }),
    links: [refDelivery(delivery)],
    command: label === 'Rejected (auth)' ? `dockbell diagnose ${delivery.id}` : null,
  });
}

/** The reason with its remedy, as sentences. Only operators may learn what a captured request shows. */
export async function explainRejection(
  { asker, diagnose, conclude }: StoryRequest,
  delivery: Delivery,
): Promise<string> {
  if (delivery.label === null) {
    return `${delivery.detail} Ask the sender to retry these requests, or raise limits.deliveriesPerMinute (limits.providerDeliveriesPerMinute if the webhook serves a provider).`;
  }
  const reason = describeDeliveryReason(delivery.reason ?? delivery.label);
  const { sentence } = await (roleHolds(asker.role, 'operator') ? diagnose : conclude)(delivery);
  return sentence.startsWith(reason.replace(/\.$/, '')) ? sentence : `${reason} ${sentence}`;
}
