import { compileFilters } from '../definitions/filter/evaluate-filters.ts';
import { readField } from '../definitions/filter/read-field.ts';
import { readContextNumber, readContextText } from '../definitions/filter/values/context-values.ts';
import { compileFind } from '../definitions/filter/values/find-value.ts';
import type { Value } from '../definitions/filter/values/read-source.ts';
import { TRIGGER_PROVIDERS } from '../definitions/triggers/providers.ts';
import { servedProvider } from '../definitions/triggers/served-provider.ts';
import type { ComposedUrl, Source, TriggerProvider } from '../definitions/triggers/trigger-event.ts';
import type { ProviderCondition, Received } from '../domain/definitions/trigger.ts';
import { composeEventName } from '../domain/deliveries/event-name.ts';
import { isJsonObject } from '../domain/json.ts';
import { readPageUrl } from '../domain/messages/page-url.ts';
import type { RunInput } from '../domain/resources/run.ts';
import type { RunContext } from '../domain/runs/run-context.ts';

/** The parts of the input of a run that its context is read from. */
export type ContextInput = Pick<RunInput, 'origin' | 'payload'>;

/**
 * What the provider says about the delivery of a run. It depends only on what is stored, so each attempt and each replay with
 * the same definition gets the same. Never throws: what cannot be read is absent.
 */
export function readRunContext({ origin, payload: body }: ContextInput): RunContext {
  const name = servedProvider(origin.webhook);
  if (name === 'schedule') return { provider: name, event: 'cron_fired' };
  const provider = name === null ? undefined : TRIGGER_PROVIDERS.get(name);
  const payload = parse(body);
  if (name === null || provider === undefined || !isJsonObject(payload)) return {};
  const received: Received = { headers: origin.headers, payload };
  const events = listMatched(origin.filters, received);
  return omitAbsent({
    provider: name,
    event: events[0] ?? null,
    events: events.length === 0 ? null : events,
    provider_event: nameEvent(provider, received),
    ...readPlaces(provider, payload),
  });
}

/** The events of the provider triggers that match, each once. */
function listMatched(filters: ContextInput['origin']['filters'], received: Received): string[] {
  const matched = filters
    .filter(({ trigger }) => trigger !== undefined)
    .filter((filter) => compileFilters([filter]).matches(received))
    .map(({ trigger }) => (trigger as ProviderCondition).event);
  return [...new Set(matched)];
}

/** As GitHub writes it: the event, and the action if the payload has one. */
function nameEvent({ eventName }: TriggerProvider, { headers, payload }: Received): string | null {
  const action = readField(payload as object, 'action');
  if ('header' in eventName) return composeEventName(headers[eventName.header.toLowerCase()], action);
  return composeEventName(compileFind([eventName])(payload, readContextText) ?? undefined, action);
}

function readPlaces({ context }: TriggerProvider, payload: unknown) {
  return {
    repository: compileFind(context.repository)(payload, readContextText),
    number: compileFind(context.number)(payload, readContextNumber),
    url: findUrl(context.url, payload),
    actor: compileFind(context.actor)(payload, readContextText),
    commit: compileFind(context.commit)(payload, readCommit),
  };
}

function findUrl(places: readonly (Source | ComposedUrl)[], payload: unknown): string | null {
  for (const place of places) {
    const url = 'base' in place ? composeUrl(place, payload) : compileFind([place])(payload, readUrl);
    if (url !== null) return url;
  }
  return null;
}

function composeUrl({ base, use, infix, path }: ComposedUrl, payload: unknown): string | null {
  const start = compileFind([{ path: base }])(payload, readUrl);
  const end = compileFind([{ path }])(payload, readContextText);
  if (start === null || end === null) return null;
  return readUrl(`${use === 'origin' ? new URL(start).origin : start}${infix}${encodeURIComponent(end)}`);
}

/** Only an ID in full, because commands pass it to git. A branch that was deleted has the ID of zeros. */
function readCommit(value: Value): string | null {
  return typeof value === 'string' && /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : null;
}

/** The context of a run has only pages with TLS. */
function readUrl(value: Value): string | null {
  const url = readPageUrl(value, ['https:']);
  return url === null ? null : readContextText(url);
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}

function omitAbsent(context: { [Name in keyof RunContext]: RunContext[Name] | null }): RunContext {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== null));
}
