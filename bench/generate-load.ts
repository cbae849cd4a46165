import { connect } from 'node:net';

/** The load to generate. */
export interface LoadOrder {
  port: number;
  /** One sender for each path. Each waits for the response before it sends the next delivery. */
  paths: string[];
  token: string;
  bodyBytes: number;
  /** Responses during this time are not counted. */
  warmUpMs: number;
  measuredMs: number;
  /** Prefix of every identity, so that no two loads send the same one. */
  prefix: string;
}

export interface LoadResult {
  /** All responses, including those of the warm-up. */
  answers: number;
  answersPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Responses other than `202` by status, including those of the warm-up; `none` for connections that ended without one. */
  others: Record<string, number>;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends until the time has elapsed. Rejects if the port cannot be reached. */
export async function generateLoad(order: LoadOrder): Promise<LoadResult> {
  const countedFrom = performance.now() + order.warmUpMs;
  const endsAt = countedFrom + order.measuredMs;
  const latencies: number[] = [];
  const others: Record<string, number> = {};
  let answers = 0;
  const note = (status: string, sentAt: number, nowMs: number) => {
    answers += 1;
    if (status !== '202') others[status] = (others[status] ?? 0) + 1;
    if (sentAt >= countedFrom) latencies.push(nowMs - sentAt);
  };
  await Promise.all(order.paths.map((path, index) => keepSending(order, path, index, endsAt, note)));
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    answers,
    answersPerSecond: (latencies.length * 1000) / order.measuredMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    others,
  };
}

/** Throws unless every response was `202`, because the rate of a run with rejected or lost deliveries is meaningless. */
export function requireAccepted(name: string, { answers, others }: LoadResult): void {
  if (answers === 0) throw new Error(`${name}: no answer at all`);
  const list = Object.entries(others).map(([status, count]) => `${count} x ${status}`);
  if (list.length > 0) throw new Error(`${name}: ${list.join(', ')} among ${answers} answers; only 202 counts`);
}

type Note = (status: string, sentAt: number, nowMs: number) => void;

async function keepSending(order: LoadOrder, path: string, index: number, endsAt: number, note: Note): Promise<void> {
  const delivery = composeRequest(order, path, index);
  while (performance.now() < endsAt) await sendOnOneConnection(order.port, delivery, endsAt, note);
}

/** Sends until the time has elapsed or the server closes the connection, which it announces with `Connection: close`. */
function sendOnOneConnection(
  port: number,
  { request, setIdentity }: ReturnType<typeof composeRequest>,
  endsAt: number,
  note: Note,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt: number | null = null;
    let received: Buffer | null = null;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const send = () => {
      setIdentity();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', (error) => {
      if (socket.pending) reject(error);
    });
    socket.on('close', () => {
      if (sentAt !== null) note('none', sentAt, performance.now());
      resolve();
    });
    socket.on('data', (chunk: Buffer) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer === null || sentAt === null) return;
      const nowMs = performance.now();
      note(answer.status, sentAt, nowMs);
      sentAt = null;
      received = null;
      if (nowMs < endsAt && !answer.isLast) send();
      else socket.end();
    });
  });
}

function readAnswer(received: Buffer): { status: string; isLast: boolean } | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (received.length < headEnd + HEAD_END.length + Number(length ?? 0)) return null;
  return { status: head.slice(9, 12), isLast: /^connection: close$/im.test(head) };
}

/** The bytes of a delivery. Only the digits of its identity change. */
function composeRequest({ prefix, token, bodyBytes }: LoadOrder, path: string, index: number) {
  const empty = '{"level":"fatal","n":1,"text":""}';
  const body = `${empty.slice(0, -2)}${'x'.repeat(bodyBytes - empty.length)}"}`;
  const identity = `${prefix}-${index}-`;
  const head =
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\nX-Service-Delivery-Id: ${identity}`;
  const request = Buffer.from(`${head}00000000\r\n\r\n${body}`, 'latin1');
  let count = 0;
  const setIdentity = () => request.write(String(count++).padStart(8, '0'), head.length, 'latin1');
  return { request, setIdentity };
}
