import type { Webhook } from '../../client/api-types.ts';
import { isJsonObject } from '../../domain/json.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { findGithubPath, readWebhookUid } from '../../domain/words/names.ts';
import { CliError } from '../exit-codes.ts';
import type { GithubClient } from './github-client.ts';
import { readRawValue } from './raw-value.ts';

/** A webhook of GitHub that posts to a webhook of the daemon. */
export interface GithubHook {
  /** Below the URL of the API. */
  path: string;
  webhook: Webhook;
}

/** A delivery as GitHub lists it. */
export interface GithubDelivery {
  id: number;
  /** The delivery ID. Attempts of one delivery share it. */
  guid: string;
  delivered_at: string;
  status: string;
  status_code: number;
  event: string;
  action: string | null;
}

/** The request of a delivery. */
interface GithubRequest {
  headers: Record<string, string>;
  /** JSON as GitHub writes it. */
  payload: string;
}

const PAGE = 100;
/** Pages of one list. GitHub stores the deliveries of three days, so few webhooks have more. */
const MAX_PAGES = 200;
/** The test of a new webhook. The daemon answers it, and logs no delivery. */
const PING = 'ping';

/** The path of an organization or a repository. Throws `CliError` for anything else. */
export function readTarget(target: string): string {
  const path = findGithubPath(target);
  if (path !== null) return path;
  throw new CliError(`'${escapeText(target)}' is neither an organization nor a repository.`, {
    hint: 'Use ORG or ORG/REPO.',
  });
}

/** The webhooks of GitHub whose URL contains the UID of one of these webhooks. */
export async function findHooks(
  client: GithubClient,
  target: string,
  webhooks: readonly Webhook[],
): Promise<GithubHook[]> {
  const hooks: GithubHook[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { bytes } = await client.get(`${target}/hooks?per_page=${PAGE}&page=${page}`);
    const listed = readList(bytes).filter(isJsonObject);
    for (const { id, config } of listed) {
      const url = isJsonObject(config) ? String(config.url) : '';
      const uid = readWebhookUid(url);
      const webhook = webhooks.find((candidate) => candidate.uid === uid);
      if (webhook !== undefined) hooks.push({ path: `${target}/hooks/${Number(id)}`, webhook });
    }
    if (listed.length < PAGE) break;
  }
  return hooks;
}

/** The deliveries of a webhook since a time, oldest first: the last attempt of each, without pings. */
export async function listSince(client: GithubClient, hook: GithubHook, sinceMs: number): Promise<GithubDelivery[]> {
  const byGuid = new Map<string, GithubDelivery>();
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { bytes, nextCursor } = await client.get(`${hook.path}/deliveries?per_page=${PAGE}${query}`);
    const listed = readList(bytes).filter(isDelivery);
    const recent = listed.filter(({ delivered_at }) => Date.parse(delivered_at) >= sinceMs);
    // Newest first, so the first one of each delivery is its last attempt.
    for (const delivery of recent) if (!byGuid.has(delivery.guid)) byGuid.set(delivery.guid, delivery);
    if (nextCursor === null || recent.length < listed.length) {
      return [...byGuid.values()].filter(({ event }) => event !== PING).reverse();
    }
    cursor = nextCursor;
  }
  throw new CliError(`GitHub has too many deliveries of the webhook ${escapeText(hook.webhook.name)} to list.`, {
    hint: 'Use a later time for --since.',
  });
}

/** The request of a delivery; `null` if GitHub does not report it completely. */
export async function readRequest(
  client: GithubClient,
  hook: GithubHook,
  { id }: GithubDelivery,
): Promise<GithubRequest | null> {
  const { bytes } = await client.get(`${hook.path}/deliveries/${id}`);
  const answer = parse(bytes);
  const headers = isJsonObject(answer) && isJsonObject(answer.request) ? answer.request.headers : null;
  const payload = readRawValue(bytes, ['request', 'payload']);
  if (!isJsonObject(headers) || payload === null || !payload.startsWith('{')) return null;
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { headers: Object.fromEntries(texts), payload };
}

function isDelivery(row: unknown): row is GithubDelivery {
  if (!isJsonObject(row)) return false;
  const { id, guid, delivered_at, status, status_code, event, action } = row;
  const texts = [guid, delivered_at, status, event, action ?? ''];
  return Number.isSafeInteger(id) && Number.isInteger(status_code) && texts.every((text) => typeof text === 'string');
}

function readList(bytes: Buffer): unknown[] {
  const list = parse(bytes);
  if (Array.isArray(list)) return list;
  throw new CliError('The answer of GitHub is not a list.', { code: 'unexpected_answer' });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new CliError('The answer of GitHub is not JSON.', { code: 'unexpected_answer', cause });
  }
}
