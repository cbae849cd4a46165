import type { ApiClient } from '../../client/create-api-client.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';

/** The type prefixes of objects that have an ID. */
const TYPE_PREFIXES = { delivery: 'dlv', run: 'run', reconciliation: 'rec', replay: 'rpl' } as const;

type IdKind = keyof typeof TYPE_PREFIXES;

/** The word for the most recent object. */
export const LAST = 'last';

const ID_LENGTH = 26;
const MIN_LENGTH = 6;

/** Help text: the ways to specify an object whose IDs have this type prefix. */
export function describeIdForms(type: string): string {
  return `its ID (${type}_…), a unique prefix of the ID with at least ${MIN_LENGTH} characters after ${type}_, or ${LAST}`;
}

/** Help text for an argument that takes an ID. */
export function describeIdArgument(kind: IdKind): string {
  return describeIdForms(TYPE_PREFIXES[kind]);
}

/** Is the text a complete or abbreviated ID with this type prefix? */
function isIdPrefix(type: string, text: string): boolean {
  return new RegExp(`^${type}_[0-9a-hjkmnp-tv-z]{${MIN_LENGTH},${ID_LENGTH}}$`).test(text);
}

function isWhole(type: string, text: string): boolean {
  return text.length === type.length + 1 + ID_LENGTH;
}

/**
 * The complete ID for an ID, a unique prefix of an ID, or `last`. It searches the factory of `--factory`, or all that the
 * token can access. A complete ID is returned without a request. Throws `CliError` `not_found` or `ambiguous`.
 */
export async function findId(session: CommandSession, kind: IdKind, text: string): Promise<string> {
  const found = await findIdIfAny(session, kind, text);
  if (found !== null) return found;
  throw new CliError(`There is no ${kind} '${escapeText(text)}'.`, {
    code: 'not_found',
    hint: describeForm(kind, text),
  });
}

/** As `findId`, but `null` if nothing is found or the text does not have the form of such an ID. */
export async function findIdIfAny(session: CommandSession, kind: IdKind, text: string): Promise<string | null> {
  if (text === LAST) return findLast(session, kind);
  const type = TYPE_PREFIXES[kind];
  if (!isIdPrefix(type, text)) return null;
  return isWhole(type, text) ? text : findByPrefix(session, kind, text);
}

/** The complete UID for a UID or a unique prefix, in the factory of the command. `null` if none is found. */
export async function findWebhookUid(session: CommandSession, text: string): Promise<string | null> {
  if (!isIdPrefix('wh', text)) return null;
  return isWhole('wh', text) ? text : findByPrefix(session, 'webhook', text, await session.factory());
}

async function findByPrefix(
  session: CommandSession,
  what: string,
  prefix: string,
  factory = session.globals.factory,
): Promise<string | null> {
  const api = await session.api();
  const { data } = await readAnswer(api.GET('/api/v1/ids', { params: { query: { prefix, factory } } }));
  return requireOne(what, prefix, data)?.id ?? null;
}

/** The only candidate, or `null`. Throws `ambiguous` with all IDs if there are several candidates. */
function requireOne<Found extends { id: string }>(what: string, prefix: string, found: readonly Found[]): Found | null {
  if (found.length < 2) return found[0] ?? null;
  throw new CliError(`More than one ${what} ID starts with '${escapeText(prefix)}'.`, {
    code: 'ambiguous',
    hint: ['Add more characters:', ...found.map(({ id }) => `  ${escapeText(id)}`)].join('\n'),
  });
}

/**
 * The entry of a short list that the text names: by ID, by a unique prefix of it, or `last` for the one created last;
 * `null` if none matches.
 */
export function pickById<Entry extends { id: string; created_at: string }>(
  { what, type }: { what: string; type: string },
  text: string,
  entries: readonly Entry[],
): Entry | null {
  if (text === LAST) return pickLast(entries);
  if (!isIdPrefix(type, text)) return null;
  return requireOne(
    what,
    text,
    entries.filter(({ id }) => id.startsWith(text)),
  );
}

/** The entry that was created last; `null` for an empty list. */
export function pickLast<Entry extends { created_at: string }>(entries: readonly Entry[]): Entry | null {
  return [...entries].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0] ?? null;
}

/** Reads the most recent objects of one factory. */
const LISTS = {
  delivery: (api, params) => readAnswer(api.GET('/api/v1/factories/{factory}/deliveries', { params })),
  run: (api, params) => readAnswer(api.GET('/api/v1/factories/{factory}/runs', { params })),
  reconciliation: (api, params) => readAnswer(api.GET('/api/v1/factories/{factory}/reconciliations', { params })),
  replay: (api, params) => readAnswer(api.GET('/api/v1/factories/{factory}/replays', { params })),
} as const satisfies Record<
  IdKind,
  (
    api: ApiClient,
    params: { path: { factory: string }; query: { limit: number } },
  ) => Promise<{ data: readonly { id: string }[] }>
>;

/** IDs are time-ordered, so the greatest of each factory's most recent ones is the last. */
async function findLast(session: CommandSession, kind: IdKind): Promise<string | null> {
  const api = await session.api();
  const lists = (await session.factories()).map((factory) =>
    LISTS[kind](api, { path: { factory }, query: { limit: 1 } }),
  );
  const newest = (await Promise.all(lists)).flatMap(({ data }) => data.map(({ id }) => id));
  return newest.sort().at(-1) ?? null;
}

function describeForm(kind: IdKind, text: string): string {
  if (text === LAST) return `No ${kind} is stored.`;
  const other = (Object.keys(TYPE_PREFIXES) as IdKind[]).find(
    (name) => name !== kind && text.startsWith(`${TYPE_PREFIXES[name]}_`),
  );
  if (other !== undefined) return `This is the ID of a ${other}: use 'dockbell ${other} show'.`;
  return `Specify ${describeIdForms(TYPE_PREFIXES[kind])}. See 'dockbell ${kind} list'.`;
}
