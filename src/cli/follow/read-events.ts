import type { IncomingMessage } from 'node:http';
import { findSystemCode } from '../../client/create-once.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import type { Connection } from '../connection.ts';
import type { CliContext } from '../context.ts';

/** One event of `GET /events`. */
interface DaemonEvent {
  /** `delivery`, `run`, `reconciliation`, `pull_requests`; `ready`: nothing is missing; `reset`: events are missing. */
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the name decides the type of the data
  data: any;
}

interface EventsRequest {
  connection: Connection;
  context: Pick<CliContext, 'sleep'>;
  /** `null` for the events of all factories. */
  factory: string | null;
  /** Ends the stream. */
  stopped: AbortSignal;
  /** Called when the connection is lost, with the reason, and with `null` when it is established again. */
  onInterruption?: (why: string | null) => void;
}

/** The daemon sends a comment every 15 s, so a connection without data for this time is dead. */
const DEAD_AFTER_MS = 40_000;
const RECONNECT_BACKOFF: Backoff = { firstMs: 500, maxMs: 15_000, jitter: 0.2 };

/**
 * The events of a factory, or of all, as they happen. A lost connection is established again and continues after the last event. Throws
 * `RequestFailed` if the daemon rejects the request.
 */
export async function* followEvents(request: EventsRequest): AsyncGenerator<DaemonEvent> {
  const { context, stopped, onInterruption = () => {} } = request;
  let position: string | null = null;
  let failures = 0;
  while (!stopped.aborted) {
    try {
      for await (const event of readEvents(request, position)) {
        if (failures > 0) onInterruption(null);
        failures = 0;
        position = event.id;
        yield event;
      }
      throw new Error('the daemon closed the connection');
    } catch (error) {
      if (stopped.aborted) return;
      if (error instanceof RequestFailed && isFinal(error)) throw error;
      failures += 1;
      if (failures === 1) onInterruption(describeInterruption(error));
      await context.sleep(backoffMs(RECONNECT_BACKOFF, failures, Math.random()), stopped);
    }
  }
}

/** Would the daemon reject the same request again? */
export function isFinal({ problem: { status } }: RequestFailed): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

export function describeInterruption(error: unknown): string {
  if (error instanceof RequestFailed && error.problem.status !== 0) return `status ${error.problem.status}`;
  return findSystemCode(error) ?? (error instanceof Error ? error.message : String(error));
}

async function* readEvents(
  { connection: { url, token }, factory, stopped }: EventsRequest,
  after: string | null,
): AsyncGenerator<DaemonEvent & { id: string }> {
  const http = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const query = factory === null ? '' : `?factory=${encodeURIComponent(factory)}`;
    const request = http.request(`${url}/api/v1/events${query}`, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...(after === null ? {} : { 'last-event-id': after }),
      },
      timeout: DEAD_AFTER_MS,
      signal: stopped,
      agent: false,
    });
    request.once('response', resolve).once('error', reject);
    request.once('timeout', () => request.destroy(new Error('the daemon sends nothing')));
    request.end();
  });
  if (answer.statusCode !== 200) throw await readProblem(answer);
  yield* parseEvents(answer.setEncoding('utf8'));
}

async function readProblem(answer: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of answer) text += chunk;
  const response = new Response(null, { status: answer.statusCode ?? 0 });
  let error: unknown = text;
  try {
    error = JSON.parse(text);
  } catch {
    // Another program answered; the status is all that is known.
  }
  return readAnswer(Promise.resolve({ error, response })).catch((failure: unknown) => failure);
}

/** Server-sent events as the daemon writes them: each field on one line. Comments are skipped. */
async function* parseEvents(chunks: AsyncIterable<string>): AsyncGenerator<DaemonEvent & { id: string }> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line): [string, string] => splitField(line)));
      const [id, name, data] = ['id', 'event', 'data'].map((key) => fields.get(key));
      if (id !== undefined && name !== undefined && data !== undefined) yield { id, name, data: JSON.parse(data) };
    }
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
}
