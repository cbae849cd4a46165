import { connect, type Socket } from 'node:net';

/** What `watch-ingress.ts` sends to this process. */
export type AskOrder =
  | { kind: 'start'; port: number; request: AskRequest }
  | { kind: 'request'; request: AskRequest }
  | { kind: 'read' };

/** A request without a body. */
export interface AskRequest {
  method: 'GET' | 'POST';
  path: string;
}

/** What this process sends back. Times are of the monotonic clock, which all processes of a machine share. */
export type AskReport =
  | { kind: 'status'; status: string; atMs: number }
  | { kind: 'longest'; longestMs: number; latenessMs: number; answers: number }
  | { kind: 'failed'; message: string };

const PAUSE_MS = 1;

/**
 * A process that sends a request to the ingress listener, waits for the response, and repeats that after a millisecond. It
 * reports each change of the status, and on request the longest wait.
 */
let request: AskRequest = { method: 'GET', path: '/healthz' };
let status = '';
let sentAt = 0;
let longestMs = 0;
/** By how much the timer of this process was late. A wait of that length may be its own. */
let latenessMs = 0;
let answers = 0;

process.on('message', (order: AskOrder) => {
  if (order.kind === 'read') return reportLongest();
  status = '';
  request = order.request;
  if (order.kind === 'start') keepAsking(order.port);
});

function keepAsking(port: number): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  let isWaiting = true;
  socket.setEncoding('latin1');
  socket.on('connect', () => ask(socket));
  socket.on('error', ({ message }) => report({ kind: 'failed', message }));
  socket.on('data', (text: string) => {
    received += text;
    if (!isComplete(received)) return;
    isWaiting = false;
    note(received.slice(9, 12));
    const isLast = /^connection: close$/im.test(received);
    received = '';
    const dueAt = readClockMs() + PAUSE_MS;
    setTimeout(() => {
      latenessMs = Math.max(latenessMs, readClockMs() - dueAt);
      if (isLast) return void socket.destroy();
      isWaiting = true;
      ask(socket);
    }, PAUSE_MS);
  });
  // The listener announces with `Connection: close` that it closes a connection after this response.
  socket.on('close', () => {
    if (isWaiting) report({ kind: 'failed', message: 'the ingress closed the connection without an answer' });
    else keepAsking(port);
  });
}

function ask(socket: Socket): void {
  sentAt = readClockMs();
  socket.write(`${request.method} ${request.path} HTTP/1.1\r\nHost: bench\r\nContent-Length: 0\r\n\r\n`);
}

function isComplete(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)$/im.exec(text)?.[1] ?? 0);
  return headEnd >= 0 && text.length >= headEnd + 4 + length;
}

function note(seen: string): void {
  const atMs = readClockMs();
  longestMs = Math.max(longestMs, atMs - sentAt);
  answers += 1;
  if (seen === status) return;
  status = seen;
  report({ kind: 'status', status, atMs });
}

function reportLongest(): void {
  report({ kind: 'longest', longestMs, latenessMs, answers });
  longestMs = 0;
  latenessMs = 0;
  answers = 0;
}

function report(one: AskReport): void {
  process.send?.(one);
}

function readClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
