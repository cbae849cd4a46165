import type { Delivery, Webhook } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { isNotFound, RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import type { Connection } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { describeInterruption, followEvents, isFinal } from '../follow/read-events.ts';
import type { Position } from './position-file.ts';

/** Where to begin: after a delivery, or with the first one received at a time or later. */
export type Start = { after: Position } | { from: string };

interface LogRequest {
  connection: Connection;
  api: ApiClient;
  context: Pick<CliContext, 'sleep'>;
  webhook: Webhook;
  start: Start;
  stopped: AbortSignal;
  /** For people: the connection was lost or is established again, or entries are missing. */
  note: (text: string) => void;
}

/** Number of entries in one request. Bodies are read one by one. */
const PAGE = 50;
/** Time after which the log is read although no event arrived: a proxy may hold events back. */
const RECHECK_MS = 30_000;
const RETRY_BACKOFF: Backoff = { firstMs: 500, maxMs: 15_000, jitter: 0.2 };

/**
 * The accepted deliveries of a webhook in the order of the log, each once. The log is the source: it is read from the last
 * delivery on, and live events only say when. So neither a lost connection nor a restart of the daemon loses a delivery. The
 * next entries are read when the caller asks for them, so a slow caller fills no memory.
 */
export async function* followLog(request: LogRequest): AsyncGenerator<Delivery> {
  const { stopped } = request;
  const bell = new Bell();
  const ringing = ringOnEvents(request, bell);
  let start = request.start;
  while (!stopped.aborted) {
    bell.reset();
    const page = await untilAnswered(request, () => readPage(request, start));
    if (page === null) break;
    for (const delivery of page.data) {
      start = { after: delivery };
      yield delivery;
    }
    if (page.data.length === 0) await bell.wait(RECHECK_MS, stopped);
  }
  await ringing;
}

/**
 * Repeats a request until the daemon answers it. `null` after the end of the command. Throws `RequestFailed` if the daemon
 * rejects the request.
 */
export async function untilAnswered<T>(
  { context, stopped, note }: Pick<LogRequest, 'context' | 'stopped' | 'note'>,
  send: () => Promise<T>,
): Promise<T | null> {
  for (let failures = 0; !stopped.aborted; ) {
    try {
      const answer = await send();
      if (failures > 0) note('Connected again.');
      return answer;
    } catch (error) {
      if (!(error instanceof RequestFailed) || isFinal(error)) throw error;
      failures += 1;
      if (failures === 1)
        note(`The daemon does not answer (${describeInterruption(error.cause ?? error)}). Trying again…`);
      await context.sleep(backoffMs(RETRY_BACKOFF, failures, Math.random()), stopped);
    }
  }
  return null;
}

type LogPage = { data: Delivery[] };

async function readPage(request: LogRequest, start: Start): Promise<LogPage> {
  if ('from' in start) return listOldest(request, { from: start.from });
  const { id, received_at } = start.after;
  try {
    return await listOldest(request, { after: id });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  // Retention removes the oldest entries first, so everything up to this one is removed, and maybe more. IDs rise with time.
  request.note(`The log no longer contains ${id}: retention may have removed deliveries after it.`);
  const { data } = await listOldest(request, { from: received_at });
  return { data: data.filter((delivery) => delivery.id > id) };
}

function listOldest({ api, webhook }: LogRequest, search: { after: string } | { from: string }): Promise<LogPage> {
  const query = { ...search, order: 'oldest_first' as const, label: 'Accepted' as const, limit: PAGE };
  return readAnswer(
    api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params: { path: webhook, query } }),
  );
}

/** Rings for each delivery of the webhook, and after each interruption. Errors of the stream appear when the log is read. */
async function ringOnEvents({ connection, context, webhook, stopped }: LogRequest, bell: Bell): Promise<void> {
  try {
    for await (const { name, data } of followEvents({ connection, context, factory: webhook.factory, stopped })) {
      if (name === 'ready' || name === 'reset' || (name === 'delivery' && data.webhook_uid === webhook.uid))
        bell.ring();
    }
  } catch {
    bell.ring();
  }
}

/** Wakes one waiter. A ring before the wait counts. */
class Bell {
  #hasRung = false;
  #wake: AbortController | null = null;

  reset(): void {
    this.#hasRung = false;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.abort();
  }

  async wait(ms: number, stopped: AbortSignal): Promise<void> {
    if (this.#hasRung || stopped.aborted) return;
    this.#wake = new AbortController();
    const ended = AbortSignal.any([this.#wake.signal, stopped, AbortSignal.timeout(ms)]);
    await new Promise<void>((resolve) => {
      ended.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#wake = null;
  }
}
