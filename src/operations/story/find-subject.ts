import { roleHolds } from '../../domain/access/access.ts';
import { isWebhookUid } from '../../domain/ids.ts';
import type { NamedObject } from '../../domain/ports/definitions.ts';
import type { FindableId } from '../../domain/ports/inventory.ts';
import type { Delivery } from '../../domain/resources/delivery.ts';
import { suggest } from '../../domain/suggest.ts';
import { SECRET_NAME_PATTERN, WEBHOOK_NAME_PATTERN } from '../../domain/words/names.ts';
import type { StoryRequest } from './story-parts.ts';

/** What a reference stands for. */
export type Subject =
  | { kind: 'delivery' | 'run' | 'reconciliation' | 'webhook'; id: string }
  | { kind: 'automation'; factory: string; name: string; isDeleted: boolean }
  | { kind: 'secret'; name: string }
  | { kind: 'commit'; factory: string; revision: string };

/** A reference that stands for exactly one object. */
interface Candidate {
  /** The exact form of the reference. */
  ref: string;
  /** The factory to name with it; `null` for an ID and a secret. */
  factory: string | null;
  /** What it is, such as `automation of payments`. */
  text: string;
}

export type Finding =
  | { found: 'one'; subject: Subject }
  /** `areAll`: no other object matches. */
  | { found: 'several'; candidates: Candidate[]; areAll: boolean }
  | { found: 'none'; near: Candidate[] };

type Match = Candidate & { subject: Subject };

/** The word for the most recent delivery. */
const LAST = 'last';
const MAX_CANDIDATES = 10;
/** One more than is listed, so that it is known whether there are others. */
const MAX_FOUND = MAX_CANDIDATES + 1;
const ID_KINDS = { dlv: 'delivery', run: 'run', rec: 'reconciliation', wh: 'webhook' } as const;

/**
 * What a reference stands for: `kind:NAME`, an ID or its beginning, the name of a webhook, an automation or a secret, or a
 * commit or its beginning. It can also be the delivery ID of a sender, or `last` for the most recent delivery.
 */
export async function findSubject(request: StoryRequest, ref: string): Promise<Finding> {
  const matches = await findMatches(request, ref);
  const [first, ...others] = matches;
  if (first === undefined) return { found: 'none', near: await findNear(request, ref) };
  if (others.length === 0) return { found: 'one', subject: first.subject };
  const candidates = matches.slice(0, MAX_CANDIDATES).map((match) => toCandidate(request, match));
  return { found: 'several', candidates, areAll: matches.length === candidates.length };
}

function toCandidate({ namesFactory }: StoryRequest, { ref, factory, text }: Candidate): Candidate {
  return { ref, factory: namesFactory ? factory : null, text };
}

async function findMatches(request: StoryRequest, ref: string): Promise<Match[]> {
  const exact = /^(webhook|automation|secret|commit):(.+)$/s.exec(ref);
  if (exact !== null) return FINDERS[exact[1] as keyof typeof FINDERS](request, exact[2]!);
  const prefix = readIdPrefix(ref);
  const byId = prefix === null ? [] : await findById(request, prefix);
  if (byId.length > 0) return byId;
  const named = await Promise.all([
    FINDERS.webhook(request, ref),
    FINDERS.automation(request, ref),
    FINDERS.secret(request, ref),
    FINDERS.commit(request, ref),
    findByDeliveryId(request, ref),
  ]);
  const matches = named.flat();
  return matches.length === 0 && ref === LAST ? findLast(request) : matches;
}

/** The kinds of names, each with its search. */
const FINDERS = {
  webhook: async (request: StoryRequest, name: string) => {
    if (isWebhookUid(name)) return findById(request, name);
    const found = (await findNamed(request, name)).filter((one) => one.kind === 'webhook');
    const live = found.filter(({ deletedAt }) => deletedAt === null);
    return (live.length > 0 ? live : keepNewest(found)).map(({ uid, factory, deletedAt }): Match => {
      const ref = deletedAt === null ? `webhook:${name}` : uid;
      const text = `${deletedAt === null ? 'webhook' : 'deleted webhook'} of ${factory}`;
      return { ref, factory, text, subject: { kind: 'webhook', id: uid } };
    });
  },
  automation: async (request: StoryRequest, name: string) => {
    const found = (await findNamed(request, name)).filter((one) => one.kind === 'automation');
    const live = found.filter(({ deletedAt }) => deletedAt === null);
    return (live.length > 0 ? live : found).map(({ factory, deletedAt }): Match => {
      const isDeleted = deletedAt !== null;
      const text = `${isDeleted ? 'deleted automation' : 'automation'} of ${factory}`;
      return { ref: `automation:${name}`, factory, text, subject: { kind: 'automation', factory, name, isDeleted } };
    });
  },
  secret: async ({ secrets, versions, asker }: StoryRequest, name: string): Promise<Match[]> => {
    if (!mayReadSecrets(asker) || !SECRET_NAME_PATTERN.test(name)) return [];
    const isKnown = (await secrets.find(name)) !== null || (await versions.versions(name, 1)).length > 0;
    return isKnown ? [{ ref: `secret:${name}`, factory: null, text: 'secret', subject: { kind: 'secret', name } }] : [];
  },
  commit: async ({ history, factories }: StoryRequest, prefix: string): Promise<Match[]> => {
    if (!REVISION.test(prefix) || factories.length === 0) return [];
    const all = await history.revisions({ prefix, factories, limit: MAX_FOUND });
    const exact = all.filter(({ revision }) => revision === prefix);
    return (exact.length > 0 ? exact : all).map(({ factory, revision }) => ({
      ref: `commit:${revision}`,
      factory,
      text: `commit of ${factory}`,
      subject: { kind: 'commit', factory, revision },
    }));
  },
};

/** The beginning of a commit, as git abbreviates it, or the revision of a live factory. */
const REVISION = /^([0-9a-f]{4,64}|live-[0-9]{1,9})$/;

/** As the list of secrets: only for owners who are not limited to some factories. */
function mayReadSecrets({ role, factories }: StoryRequest['asker']): boolean {
  return roleHolds(role, 'owner') && factories === null;
}

async function findNamed({ history, factories }: StoryRequest, name: string): Promise<NamedObject[]> {
  if (!WEBHOOK_NAME_PATTERN.test(name)) return [];
  return history.named({ name, factories, limit: MAX_FOUND });
}

/** The webhook of each factory that was deleted last. */
function keepNewest<Found extends { factory: string; deletedAt: number | null }>(found: readonly Found[]): Found[] {
  const newest = new Map<string, Found>();
  for (const one of found) {
    const known = newest.get(one.factory);
    if (known === undefined || (known.deletedAt ?? 0) < (one.deletedAt ?? 0)) newest.set(one.factory, one);
  }
  return [...newest.values()];
}

/** The text as the beginning of an ID; `null` if it does not have that form. */
function readIdPrefix(text: string): FindableId | null {
  return /^(dlv|run|rec|wh)_[0-9a-hjkmnp-tv-z]{6,26}$/.test(text) ? (text as FindableId) : null;
}

async function findById({ idFinder, factories }: StoryRequest, prefix: string): Promise<Match[]> {
  const found = await idFinder.find({ prefix: prefix as FindableId, factories, limit: MAX_FOUND });
  return found.map(({ id, factory }) => {
    const kind = ID_KINDS[id.slice(0, id.indexOf('_')) as keyof typeof ID_KINDS];
    return { ref: id, factory: null, text: `${kind} of ${factory}`, subject: { kind, id } };
  });
}

/** Entries of a factory that are read for one delivery ID, of each search. */
const MAX_ENTRIES = 100;

/** Of several entries of one webhook with one delivery ID: the accepted one, otherwise the most recent one. */
async function findByDeliveryId({ deliveries, factories }: StoryRequest, identity: string): Promise<Match[]> {
  const search = { identity, limit: MAX_ENTRIES, cursor: null };
  // An ID that is repeated often has many duplicates after the accepted entry.
  const searches = (['Accepted', null] as const).flatMap((label) => factories.map((factory) => ({ factory, label })));
  const pages = await Promise.all(searches.map((one) => deliveries.list({ ...search, ...one })));
  const chosen = new Map<string, Delivery>();
  for (const entry of pages.flatMap(({ data }) => data)) {
    const known = chosen.get(entry.webhookUid);
    if (known === undefined || (isOriginal(entry) && !isOriginal(known))) chosen.set(entry.webhookUid, entry);
  }
  return [...chosen.values()].map(({ id, factory, webhookName }) => {
    const text = `delivery to ${webhookName} of ${factory}`;
    return { ref: id, factory: null, text, subject: { kind: 'delivery', id } };
  });
}

function isOriginal({ label, replayOf }: Delivery): boolean {
  return label === 'Accepted' && replayOf === null;
}

async function findLast({ deliveries, factories }: StoryRequest): Promise<Match[]> {
  const search = { label: null, limit: 1, cursor: null };
  const pages = await Promise.all(factories.map((factory) => deliveries.list({ ...search, factory })));
  const newest = pages.flatMap(({ data }) => data).sort((a, b) => (a.id < b.id ? 1 : -1))[0];
  if (newest === undefined) return [];
  const { id, factory } = newest;
  return [{ ref: id, factory: null, text: `delivery of ${factory}`, subject: { kind: 'delivery', id } }];
}

/** Names like the reference, and IDs with the same beginning. */
async function findNear(request: StoryRequest, ref: string): Promise<Candidate[]> {
  const prefix = readIdPrefix(ref.slice(0, ID_START));
  if (prefix !== null && prefix !== ref)
    return (await findById(request, prefix)).slice(0, MAX_CANDIDATES).map((match) => toCandidate(request, match));
  const name = ref.replace(/^[a-z]+:/, '');
  const near = await Promise.all(request.factories.map((factory) => findNearNames(request, factory, name)));
  const deliveries = await findNearDeliveries(request, ref);
  const all = [...deliveries, ...near.flat(), ...(await findNearSecrets(request, name))];
  return all.slice(0, MAX_CANDIDATES).map((candidate) => toCandidate(request, candidate));
}

/** Names of automations that are compared with the reference. */
const MAX_NAMES = 2_000;

/** `run_` and the first 10 characters, which contain the time. */
const ID_START = 14;

async function findNearNames(
  { inventory, history }: StoryRequest,
  factory: string,
  name: string,
): Promise<Candidate[]> {
  const [webhooks, automations] = await Promise.all([
    inventory.webhooks(factory),
    history.automationNames(factory, MAX_NAMES),
  ]);
  const suggestIn = (kind: 'webhook' | 'automation', names: readonly string[]): Candidate[] => {
    const similar = suggest(name, names);
    return similar === null ? [] : [{ ref: `${kind}:${similar}`, factory, text: `${kind} of ${factory}` }];
  };
  return [
    ...suggestIn(
      'webhook',
      webhooks.map((webhook) => webhook.name),
    ),
    ...suggestIn('automation', automations),
  ];
}

/** The most recent deliveries of each factory whose sender's IDs are compared with the reference. */
const MAX_IDS = 500;
/** A shorter text is the beginning of many IDs. */
const MIN_ID_LENGTH = 4;

/** Delivery IDs of senders that begin with the reference, or differ from it by a typing mistake. */
async function findNearDeliveries({ deliveries, factories }: StoryRequest, ref: string): Promise<Candidate[]> {
  if (ref.length < MIN_ID_LENGTH) return [];
  const search = { label: null, limit: MAX_IDS, cursor: null };
  const pages = await Promise.all(factories.map((factory) => deliveries.list({ ...search, factory })));
  const found = pages.flatMap(({ data }) => data).filter(({ deliveryIdSource }) => deliveryIdSource !== 'body_hash');
  const ids = [...new Set(found.flatMap(({ deliveryId }) => deliveryId ?? []))];
  const begin = ids.filter((id) => id.startsWith(ref));
  const similar = begin.length > 0 ? null : suggest(ref, ids);
  const near = similar === null ? begin : [similar];
  return near.map((id) => {
    const { factory, webhookName } = found.find(({ deliveryId }) => deliveryId === id)!;
    return { ref: id, factory, text: `delivery to ${webhookName} of ${factory}` };
  });
}

async function findNearSecrets({ secrets, asker }: StoryRequest, name: string): Promise<Candidate[]> {
  if (!mayReadSecrets(asker)) return [];
  const similar = suggest(
    name,
    (await secrets.list()).map((secret) => secret.name),
  );
  return similar === null ? [] : [{ ref: `secret:${similar}`, factory: null, text: 'secret' }];
}
