import type { Delivery, Webhook } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { isNotFound, readAnswer } from '../../client/read-answer.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { formatDuration } from '../../domain/words/quantities.ts';
import type { CommandSession } from '../command-session.ts';
import type { Connection } from '../connection.ts';
import { followLog, type Start, untilAnswered } from './follow-log.ts';
import type { Forward, ForwardOutcome } from './forward.ts';
import type { Position, PositionFile } from './position-file.ts';

interface ListenRequest {
  session: CommandSession;
  connection: Connection;
  webhook: Webhook;
  /** `null`: new deliveries only. `last`: after the stored position. */
  since: 'last' | { from: string } | null;
  forward: Forward | null;
  retries: number;
  positions: PositionFile;
  isJson: boolean;
  stopped: AbortSignal;
}

/** How one delivery was forwarded. */
type Forwarded = ForwardOutcome & { duration_ms: number; attempts: number };

const RETRY_BACKOFF: Backoff = { firstMs: 1_000, maxMs: 30_000, jitter: 0.2 };

/** Prints and forwards deliveries one after another, until the command is stopped. */
export async function listenToWebhook(request: ListenRequest): Promise<void> {
  const { session, webhook, positions, stopped } = request;
  const { output, context } = session;
  const api = await session.api();
  const note = (text: string) => output.note(escapeText(text));
  const start = await untilAnswered({ context, stopped, note }, () => findStart(request, api));
  if (start === null) return;
  if ('after' in start) await positions.write(start.after);
  note(`Listening to ${webhook.name}. Ctrl-C stops; continue later with --since last.`);
  const log = followLog({ connection: request.connection, api, context, webhook, start, stopped, note });
  for await (const delivery of log) {
    const isHandled = await handle(request, api, delivery);
    if (isHandled) await positions.write(delivery);
  }
}

async function findStart({ since, positions, webhook, session }: ListenRequest, api: ApiClient): Promise<Start> {
  if (since !== null && since !== 'last') return since;
  const stored = since === 'last' ? await positions.read() : null;
  if (stored !== null) return { after: stored };
  if (since === 'last') session.output.note('No earlier call is known, so only new deliveries are listed.');
  const newest = await findNewest(webhook, api);
  return newest === null ? { from: new Date(0).toISOString() } : { after: newest };
}

/** The most recent accepted delivery; `null` if there is none. */
async function findNewest(webhook: Webhook, api: ApiClient): Promise<Position | null> {
  const query = { label: 'Accepted' as const, limit: 1 };
  const { data } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params: { path: webhook, query } }),
  );
  return data[0] ?? null;
}

/** Returns whether the delivery is done: not if the command was stopped before the target answered. */
async function handle(request: ListenRequest, api: ApiClient, delivery: Delivery): Promise<boolean> {
  const { session, forward, isJson, stopped } = request;
  if (!isJson) printDelivery(session, delivery);
  let forwarded: Forwarded | null = null;
  if (forward !== null) {
    const body = await readBody(request, api, delivery);
    if (stopped.aborted) return false;
    forwarded = body === null ? describeMissing() : await forwardOne(request, forward, delivery, body);
    if (stopped.aborted && forwarded.status === null) return false;
  }
  if (isJson) session.output.jsonLine({ delivery, forward: forwarded });
  else if (forwarded !== null) printForwarded(session, forwarded);
  return true;
}

/** The exact bytes; `null` if they are no longer stored. */
async function readBody(
  { session, stopped }: ListenRequest,
  api: ApiClient,
  { id }: Delivery,
): Promise<Uint8Array | null> {
  const { context, output } = session;
  const read = async () => {
    try {
      const payload = api.GET('/api/v1/deliveries/{id}/payload', {
        params: { path: { id }, query: { exact: true } },
        parseAs: 'arrayBuffer',
      });
      return new Uint8Array((await readAnswer(payload)) as ArrayBuffer);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  };
  return untilAnswered({ context, stopped, note: (text) => output.note(escapeText(text)) }, read);
}

function describeMissing(): Forwarded {
  return { status: null, error: 'The body is no longer stored.', duration_ms: 0, attempts: 0 };
}

async function forwardOne(
  { session, retries, stopped, isJson }: ListenRequest,
  forward: Forward,
  delivery: Delivery,
  body: Uint8Array,
): Promise<Forwarded> {
  const { context } = session;
  const startedMs = context.clock.monotonicMs();
  for (let attempts = 1; ; attempts++) {
    const outcome = await forward.send(delivery, body);
    const forwarded = { ...outcome, duration_ms: Math.round(context.clock.monotonicMs() - startedMs), attempts };
    if (!isWorthRepeating(outcome) || attempts > retries || stopped.aborted) return forwarded;
    if (!isJson) printForwarded(session, forwarded);
    await context.sleep(backoffMs(RETRY_BACKOFF, attempts, Math.random()), stopped);
    if (stopped.aborted) return forwarded;
  }
}

function isWorthRepeating({ status }: ForwardOutcome): boolean {
  return status === null || status >= 500 || status === 408 || status === 429;
}

function printDelivery({ output }: CommandSession, delivery: Delivery): void {
  const { id, event, size, summary, received_at: at, replay_of: original } = delivery;
  const about = [summary, original === null ? null : `(replay of ${original})`]
    .filter((text) => text !== null)
    .join(' ');
  const parts = [output.colors.dim(at), escapeText(event ?? '-'), id, `${size} B`, escapeText(about)];
  output.line(parts.filter((part) => part !== '').join('  '));
}

function printForwarded({ output }: CommandSession, { status, error, duration_ms: tookMs }: Forwarded): void {
  const took = output.colors.dim(formatDuration(tookMs));
  const isGood = status !== null && status < 300;
  const paint = isGood ? output.colors.green : output.colors.red;
  output.line(`  ${paint(`→ ${status ?? escapeText(error ?? '')}`)} ${took}`);
}
