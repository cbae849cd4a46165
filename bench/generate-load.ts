import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { takePercentile } from './kit/statistics.ts';

/** How the senders authenticate. `github` signs each body and sends the headers of GitHub. */
export type LoadCredential = { kind: 'token'; token: string } | { kind: 'github'; secret: string };

/** The load to generate. */
export interface LoadOrder {
  port: number;
  /** One sender for each path. Each has at most one request in progress. */
  paths: string[];
  credential: LoadCredential;
  bodyBytes: number;
  /** Value of `project` in each body. */
  project: string;
  /** Responses during this time are not counted. */
  warmUpMs: number;
  measuredMs: number;
  /**
   * Requests per second of all senders, whose latency is measured from the time at which they were due. `null`: each sender
   * sends as soon as it has its response.
   */
  offeredPerSecond: number | null;
  /**
   * Requests that were due within the time are sent for at most this long after it. Then they count as `unsent`. Ten
   * seconds if omitted.
   */
  drainMs?: number;
}

export interface LoadResult {
  /** All responses, including those of the warm-up. */
  answers: number;
  /** Responses to requests that were sent after the warm-up. */
  counted: number;
  answersPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Share of the measured time in which this process was busy. Near 1, the load generator is the limit. */
  busy: number;
  /** Responses other than `202` by status, including those of the warm-up; `none` for connections that ended without one. */
  others: Record<string, number>;
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** Above this share, the figures describe the load generator. */
const MAX_BUSY = 0.97;
const TICK_MS = 1;
const DRAIN_MS = 10_000;

/**
 * Opens all connections, then sends until the time has elapsed. A server that is too slow for the time gets requests until one
 * response counts. Rejects if the port cannot be reached.
 *
 * @param onWarm called at the end of the warm-up
 */
export async function generateLoad(order: LoadOrder, onWarm = () => {}): Promise<LoadResult> {
  const latencies: number[] = [];
  const others: Record<string, number> = {};
  let answers = 0;
  const period = { countedFrom: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY };
  const note: Note = (status, sinceMs, nowMs) => {
    answers += 1;
    if (status !== '202') others[status] = (others[status] ?? 0) + 1;
    if (sinceMs >= period.countedFrom) latencies.push(nowMs - sinceMs);
  };
  const due = order.offeredPerSecond === null ? null : new DueTimes(order.offeredPerSecond, order.drainMs ?? DRAIN_MS);
  const isComplete = (nowMs: number) => (due === null ? latencies.length > 0 : due.isDrained(nowMs));
  const isOver = (nowMs: number) => nowMs >= period.endsAt && isComplete(nowMs);
  const senders = order.paths.map((path) => new Sender({ order, path, isOver, due, note }));
  await Promise.all(senders.map((sender) => sender.connected));
  period.countedFrom = performance.now() + order.warmUpMs;
  period.endsAt = period.countedFrom + order.measuredMs;
  if (due === null) for (const sender of senders) sender.send();
  else due.start(senders, period.endsAt);
  const usage = measureBusy(order.warmUpMs, onWarm);
  await Promise.all(senders.map((sender) => sender.done));
  const unsent = due?.unsent() ?? 0;
  if (unsent > 0) others.unsent = unsent;
  return {
    answers,
    counted: latencies.length,
    answersPerSecond: (latencies.length * 1000) / order.measuredMs,
    p50Ms: takePercentile(latencies, 0.5),
    p99Ms: takePercentile(latencies, 0.99),
    busy: await usage(),
    others,
  };
}

/** Throws unless every response was `202`, because the rate of a run with rejected or lost deliveries is meaningless. */
export function requireAccepted(name: string, { answers, counted, others }: LoadResult): void {
  if (counted === 0) throw new Error(`${name}: no answer after the warm-up`);
  const list = Object.entries(others).map(([status, count]) => `${count} x ${status}`);
  if (list.length > 0) throw new Error(`${name}: ${list.join(', ')} among ${answers} answers; only 202 counts`);
}

/** Throws if this process was the limit. */
export function requireSpareTime(name: string, { busy }: LoadResult): void {
  if (busy <= MAX_BUSY) return;
  throw new Error(
    `${name}: the load generator was busy for ${(busy * 100).toFixed(0)} % of the time and limits the rate`,
  );
}

/** The share of time in which the event loop of this process does not wait, from the end of the warm-up on. */
function measureBusy(warmUpMs: number, onWarm: () => void): () => Promise<number> {
  const started = new Promise<ReturnType<typeof performance.eventLoopUtilization>>((resolve) => {
    setTimeout(() => {
      resolve(performance.eventLoopUtilization());
      onWarm();
    }, warmUpMs);
  });
  return async () => performance.eventLoopUtilization(await started).utilization;
}

/** @param sinceMs time at which the request was sent, or due */
type Note = (status: string, sinceMs: number, nowMs: number) => void;

/** Times at which requests are due. Those that no sender can send yet wait. */
class DueTimes {
  readonly #intervalMs: number;
  readonly #drainMs: number;
  #endsAt = Number.POSITIVE_INFINITY;
  #startsAt = 0;
  /** Number of requests that were due so far, and the number of sent ones. */
  #due = 0;
  #sent = 0;

  constructor(perSecond: number, drainMs: number) {
    this.#intervalMs = 1_000 / perSecond;
    this.#drainMs = drainMs;
  }

  start(senders: readonly Sender[], endsAt: number): void {
    this.#startsAt = performance.now();
    this.#endsAt = endsAt;
    let next = 0;
    const tick = () => {
      this.#collect();
      for (let i = 0; i < senders.length && this.unsent() > 0; i++) {
        const sender = senders[next++ % senders.length]!;
        if (sender.isIdle) sender.send();
      }
      if (this.isDrained(performance.now())) return senders.forEach(endIfIdle);
      setTimeout(tick, TICK_MS);
    };
    tick();
  }

  /** The time at which the next request was due; `null` if none is. */
  take(): number | null {
    return this.unsent() === 0 ? null : this.#startsAt + this.#sent++ * this.#intervalMs;
  }

  unsent(): number {
    return this.#due - this.#sent;
  }

  /** No request is due any more, or too much time has passed. */
  isDrained(nowMs: number): boolean {
    return nowMs >= this.#endsAt && (this.unsent() === 0 || nowMs >= this.#endsAt + this.#drainMs);
  }

  #collect(): void {
    const untilMs = Math.min(performance.now(), this.#endsAt);
    this.#due = Math.floor((untilMs - this.#startsAt) / this.#intervalMs) + 1;
  }
}

function endIfIdle(sender: Sender): void {
  if (sender.isIdle) sender.end();
}

interface SenderParts {
  order: LoadOrder;
  path: string;
  isOver: (nowMs: number) => boolean;
  due: DueTimes | null;
  note: Note;
}

/** One connection, which is opened again if the server closes it after a response. */
class Sender {
  /** Resolves when the first connection is open. */
  readonly connected: Promise<void>;
  readonly done: Promise<void>;
  readonly #parts: SenderParts;
  readonly #request: RequestBytes;
  #socket!: Socket;
  #received: Buffer | null = null;
  /** When the request in progress was sent or due; `null` if none is in progress. */
  #sinceMs: number | null = null;
  #isConnected = false;
  #open!: () => void;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  #isFirst = true;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#request = new RequestBytes(parts.order, parts.path);
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.connected = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#reject = reject;
    });
    this.#connect();
  }

  get isIdle(): boolean {
    return this.#isConnected && this.#sinceMs === null;
  }

  /** Sends the next request, unless none is due. */
  send(): void {
    const { due } = this.#parts;
    this.#sinceMs = due === null ? performance.now() : due.take();
    if (this.#sinceMs !== null) this.#socket.write(this.#request.next());
  }

  end(): void {
    this.#isConnected = false;
    this.#socket.end();
  }

  #connect(): void {
    const { order, isOver, note } = this.#parts;
    const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.on('connect', () => {
      this.#isConnected = true;
      if (this.#isFirst) this.#open();
      else this.send();
      this.#isFirst = false;
    });
    socket.on('error', (error) => {
      if (socket.pending) this.#reject(error);
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('close', () => {
      this.#isConnected = false;
      if (this.#sinceMs !== null) note('none', this.#sinceMs, performance.now());
      this.#sinceMs = null;
      this.#received = null;
      if (isOver(performance.now())) this.#resolve();
      else this.#connect();
    });
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received === null ? chunk : Buffer.concat([this.#received, chunk]);
    const answer = readAnswer(this.#received);
    if (answer === null || this.#sinceMs === null) return;
    const nowMs = performance.now();
    this.#parts.note(answer.status, this.#sinceMs, nowMs);
    this.#sinceMs = null;
    this.#received = null;
    if (!this.#parts.isOver(nowMs) && !answer.isLast) this.send();
    else this.end();
  }
}

function readAnswer(received: Buffer): { status: string; isLast: boolean } | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (received.length < headEnd + HEAD_END.length + Number(length ?? 0)) return null;
  return { status: head.slice(9, 12), isLast: /^connection: close$/im.test(head) };
}

const DIGITS = 16;
const SIGNATURE = '0'.repeat(64);

/** The bytes of a delivery. Each has another identity and another body, so nothing about it can be kept from the last one. */
class RequestBytes {
  readonly #bytes: Buffer;
  readonly #bodyAt: number;
  readonly #idAt: number;
  readonly #signatureAt: number;
  readonly #numberAt: number;
  readonly #secret: string | null;

  constructor({ credential, bodyBytes, project }: LoadOrder, path: string) {
    const empty = `{"number":"${'0'.repeat(DIGITS)}","build":{"status":"failed","project":"${project}"},"text":""}`;
    const body = `${empty.slice(0, -2)}${'x'.repeat(Math.max(0, bodyBytes - empty.length))}"}`;
    const id = '0'.repeat(DIGITS);
    const fields =
      credential.kind === 'token'
        ? `Authorization: Bearer ${credential.token}\r\nX-Service-Delivery-Id: ${id}`
        : `X-GitHub-Event: push\r\nX-Hub-Signature-256: sha256=${SIGNATURE}\r\nX-GitHub-Delivery: ${id}`;
    const head =
      `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n${fields}\r\n\r\n`;
    this.#bytes = Buffer.from(head + body, 'latin1');
    this.#bodyAt = head.length;
    this.#idAt = head.length - 4 - DIGITS;
    this.#signatureAt = head.indexOf(SIGNATURE);
    this.#numberAt = head.length + body.indexOf('0'.repeat(DIGITS));
    this.#secret = credential.kind === 'github' ? credential.secret : null;
  }

  /** Random, because identities in the order of time are easier to index. */
  next(): Buffer {
    const id = randomDigits() + randomDigits();
    this.#bytes.write(id, this.#idAt, 'latin1');
    this.#bytes.write(id, this.#numberAt, 'latin1');
    if (this.#secret !== null) {
      const hmac = createHmac('sha256', this.#secret).update(this.#bytes.subarray(this.#bodyAt));
      this.#bytes.write(hmac.digest('hex'), this.#signatureAt, 'latin1');
    }
    return this.#bytes;
  }
}

/** Eight hexadecimal digits. */
function randomDigits(): string {
  return Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
}
