import { connect } from 'node:net';

/** What a load generator process is told by its parent. */
export interface LoadOrder {
  port: number;
  /** One connection for each path; each waits for its answer before it sends the next delivery. */
  paths: string[];
  token: string;
  bodyBytes: number;
  /** Answers in this time are not counted. */
  warmUpMs: number;
  measuredMs: number;
  /** Begins every identity, so that no two orders send the same one. */
  prefix: string;
}

export interface LoadResult {
  /** All of them, those of the warm-up included. */
  answers: number;
  answersPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers other than `202`, by status. */
  others: Record<string, number>;
}

const ACCEPTED = Buffer.from('HTTP/1.1 202');
const HEAD_END = Buffer.from('\r\n\r\n');

process.once('message', (order: LoadOrder) => {
  void generateLoad(order).then((result) => process.send?.(result, () => process.exit()));
});

async function generateLoad(order: LoadOrder): Promise<LoadResult> {
  const countedFrom = performance.now() + order.warmUpMs;
  const endsAt = countedFrom + order.measuredMs;
  const latencies: number[] = [];
  const others: Record<string, number> = {};
  let answers = 0;
  const note = (answer: Buffer, sentAt: number, nowMs: number) => {
    answers += 1;
    if (sentAt < countedFrom) return;
    latencies.push(nowMs - sentAt);
    if (answer.subarray(0, ACCEPTED.length).equals(ACCEPTED)) return;
    const status = answer.subarray(9, 12).toString('latin1');
    others[status] = (others[status] ?? 0) + 1;
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

function keepSending(
  order: LoadOrder,
  path: string,
  index: number,
  endsAt: number,
  note: (answer: Buffer, sentAt: number, nowMs: number) => void,
): Promise<void> {
  const { request, setIdentity } = composeRequest(order, path, index);
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let received: Buffer | null = null;
    const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
    const send = () => {
      setIdentity();
      sentAt = performance.now();
      socket.write(request);
    };
    socket
      .on('connect', send)
      .on('error', reject)
      .on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      if (!isWhole(received)) return;
      const nowMs = performance.now();
      note(received, sentAt, nowMs);
      received = null;
      if (nowMs < endsAt) send();
      else socket.end();
    });
  });
}

function isWhole(answer: Buffer): boolean {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /content-length: (\d+)/i.exec(answer.toString('latin1', 0, headEnd))?.[1];
  return answer.length >= headEnd + HEAD_END.length + Number(length ?? 0);
}

/** The bytes of a delivery; only the digits of its identity change from one to the next. */
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
