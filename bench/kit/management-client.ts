import { readFileSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';
import type { TestDaemon } from '../../test/helpers/test-daemon.ts';

/** A client of the management API with one open connection, so that no figure includes connecting or a pool. */
export interface ManagementClient {
  /** Resolves to the parsed body. Rejects on another status than the expected one. */
  call<T = unknown>(method: string, path: string, expected: number, body?: unknown): Promise<T>;
  /** Calls back for each event until `close`. Resolves when the stream is ready. */
  follow(onEvent: (event: ServerEvent) => void): Promise<void>;
  close(): void;
}

export interface ServerEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind of event has a different shape
  data: any;
  /** Monotonic time of the arrival in milliseconds. */
  atMs: number;
}

export function openManagementClient({
  adminUrl,
  dataDir,
}: Pick<TestDaemon, 'adminUrl' | 'dataDir'>): ManagementClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const streams = new Agent();
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  return {
    call(method, path, expected, body) {
      const payload = body === undefined ? null : Buffer.from(JSON.stringify(body));
      const described =
        payload === null
          ? headers
          : { ...headers, 'content-type': 'application/json', 'content-length': payload.length };
      return new Promise((resolve, reject) => {
        const sent = request(`${adminUrl}/api/v1${path}`, { method, agent, headers: described }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => {
            if (response.statusCode === expected) return resolve(text === '' ? undefined : JSON.parse(text));
            reject(new Error(`${method} ${path} answered ${response.statusCode} instead of ${expected}: ${text}`));
          });
        });
        sent.on('error', reject);
        sent.end(payload ?? undefined);
      });
    },
    follow: (onEvent) =>
      new Promise((resolve, reject) => {
        const sent = get(`${adminUrl}/api/v1/events`, { agent: streams, headers }, (response) => {
          if (response.statusCode !== 200) return reject(new Error(`the event stream answered ${response.statusCode}`));
          response.setEncoding('utf8');
          let text = '';
          response.on('data', (chunk: string) => {
            const atMs = readClockMs();
            text += chunk;
            const blocks = text.split('\n\n');
            text = blocks.pop()!;
            for (const block of blocks) {
              const event = parseEvent(block, atMs);
              if (event?.event === 'ready') resolve();
              else if (event !== null) onEvent(event);
            }
          });
        });
        sent.on('error', reject);
        sent.on('socket', (socket) => socket.unref());
      }),
    close() {
      agent.destroy();
      streams.destroy();
    },
  };
}

/** The monotonic clock in milliseconds, which all processes of a machine share. */
export function readClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function parseEvent(block: string, atMs: number): ServerEvent | null {
  const name = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  if (name === undefined) return null;
  return { event: name, data: data === undefined || data === '' ? null : JSON.parse(data), atMs };
}
