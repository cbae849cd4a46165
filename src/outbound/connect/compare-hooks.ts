import { timingSafeEqual } from 'node:crypto';
import type { ConnectionField, ConnectionFieldName, ConnectionState } from '../../domain/ports/webhook-connector.ts';
import { readWebhookUid } from '../../domain/words/names.ts';
import type { RegisteredHook, WantedHook } from './hook-provider.ts';

/** What a comparison needs in addition to the webhooks at the provider. */
interface CompareOptions {
  webhookUid: string;
  /** The name of the secret and its version, for people. */
  secretLabel: string;
  sendSecret: boolean;
  /** As `HookProvider.enableByHand`. */
  enableByHand: string | null;
}

export interface Comparison {
  /** The webhook at the provider that posts to the webhook; `null` if there is none. */
  hook: RegisteredHook | null;
  fields: ConnectionField[];
}

/**
 * Compares the webhooks of a target with what is wanted. The webhook at the provider is the one with the wanted URL, or with
 * the UID in its path: the host in front changes when `baseUrl` does.
 */
export function compareHooks(
  hooks: readonly RegisteredHook[],
  wanted: WantedHook,
  options: CompareOptions,
): Comparison {
  const own = hooks.filter(({ url }) => readWebhookUid(url) === options.webhookUid);
  const hook = own.find(({ url }) => url === wanted.url) ?? own[0] ?? null;
  const compared = hook === null ? listNew(wanted, options) : compareHook(hook, wanted, options);
  const others = own.filter((one) => one !== hook).map(({ id }) => id);
  return { hook, fields: [...compared, ...reportOthers(others)] };
}

/** Whether an apply has something to do. */
export function needsApply(fields: readonly ConnectionField[]): boolean {
  return fields.some(({ state }) => state === 'change' || state === 'send');
}

export function isInSync(fields: readonly ConnectionField[]): boolean {
  return fields.every(({ state }) => state !== 'change' && state !== 'manual');
}

function listNew(wanted: WantedHook, { secretLabel }: CompareOptions): ConnectionField[] {
  const add = (field: ConnectionFieldName, values: string[]) => toField(field, { registered: null, wanted: values });
  return [
    add('url', [wanted.url]),
    add('content_type', [wanted.contentType]),
    add('events', wanted.events),
    add('active', ['yes']),
    add('secret', [secretLabel]),
  ];
}

function compareHook(hook: RegisteredHook, wanted: WantedHook, options: CompareOptions): ConnectionField[] {
  const { enableByHand } = options;
  const isDisabled = !hook.active && enableByHand !== null;
  const fields = [
    {
      ...toField('url', { registered: [hideToken(hook.url)], wanted: [wanted.url] }),
      ...stateOf(hook.url === wanted.url),
    },
    toField('content_type', { registered: hook.contentType && [hook.contentType], wanted: [wanted.contentType] }),
    toField('events', { registered: hook.events, wanted: listWantedEvents(hook, wanted) }),
    toField('active', { registered: [hook.active ? 'yes' : 'no'], wanted: ['yes'] }),
    ...(hook.verifiesTls === null
      ? []
      : [toField('tls_verification', { registered: [hook.verifiesTls ? 'yes' : 'no'], wanted: ['yes'] })]),
  ].map((field) =>
    field.field === 'active' && isDisabled ? { ...field, state: 'manual' as const, remedy: enableByHand } : field,
  );
  return [...fields, compareSecret(hook, wanted, options, needsApply(fields))];
}

/** All events means all that this provider knows: older and unlicensed ones do not report each of them. */
function listWantedEvents({ knownEvents }: RegisteredHook, { events, isAll }: WantedHook): string[] {
  return isAll && knownEvents !== null ? events.filter((event) => knownEvents.includes(event)) : events;
}

/** @param changes does an apply change another field? It sends the secret, too */
function compareSecret(
  { secret }: RegisteredHook,
  wanted: WantedHook,
  { secretLabel, sendSecret }: CompareOptions,
  changes: boolean,
): ConnectionField {
  const field = { field: 'secret' as const, wanted: [secretLabel], remedy: null };
  if (secret === 'missing') return { ...field, registered: ['none'], state: 'change' };
  if (secret === 'set' || secret === 'unknown') {
    const registered = secret === 'set' ? ['set, not shown'] : null;
    return { ...field, registered, state: changes || sendSecret ? 'send' : 'unknown' };
  }
  const isSame = isEqual(secret.reveal(), wanted.secret.reveal());
  if (!isSame) return { ...field, registered: ['another value'], state: 'change' };
  return { ...field, registered: [secretLabel], state: sendSecret ? 'send' : 'same' };
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function reportOthers(ids: readonly string[]): ConnectionField[] {
  if (ids.length === 0) return [];
  const remedy = 'Each of these webhooks delivers every event another time. Delete them at the provider.';
  return [{ field: 'other_webhooks', registered: [...ids], wanted: [], state: 'manual', remedy }];
}

function toField(
  field: ConnectionFieldName,
  { registered, wanted }: Pick<ConnectionField, 'registered' | 'wanted'>,
): ConnectionField {
  const isSame =
    registered !== null && registered.length === wanted.length && registered.every((one) => wanted.includes(one));
  return { field, registered, wanted, ...stateOf(isSame), remedy: null };
}

function stateOf(isSame: boolean): { state: ConnectionState } {
  return { state: isSame ? 'same' : 'change' };
}

/** A URL may contain credentials: a password, a query, or the token of a webhook in the path. */
function hideToken(url: string): string {
  if (!URL.canParse(url)) return '[not a URL]';
  const { protocol, host, pathname, search } = new URL(url);
  const path = pathname.replace(/(\/webhooks\/w\/wh_[0-9a-z]{26}\/).+$/, '$1{token}');
  return `${protocol}//${host}${path}${search === '' ? '' : '?{query}'}`;
}
