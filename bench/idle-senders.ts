import { Agent, type ClientRequestArgs, request as sendWithNode } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** HTTP clients that keep a connection between two deliveries. The last one ignores the announced idle timeout. */
export const CLIENTS = ['undici', 'node:http', 'node:http without the announced timeout'] as const;
export type ClientName = (typeof CLIENTS)[number];

export interface IdleSendersOptions {
  port: number;
  paths: readonly string[];
  token: string;
  /** Value of `project` in each body, as in `LoadOrder`. */
  project: string;
  /** Number of senders of each client. */
  senders: number;
  /** Shortest and longest time between an answer and the next delivery of a sender. */
  gapMs: readonly [number, number];
}

/** The deliveries of one client. */
export interface IdleOutcome {
  accepted: number;
  /** Deliveries on a connection that was used before. */
  reused: number;
  /** Other statuses, and errors without an answer. */
  failures: string[];
}

interface Answer {
  status: number;
  isReused: boolean;
}

type Post = (path: string, headers: Record<string, string>, body: string) => Promise<Answer>;

interface Client {
  post: Post;
  close(): void;
}

/** Senders that are idle most of the time, so that their connections reach the idle timeout of the server. */
export class IdleSenders {
  readonly outcomes: Record<ClientName, IdleOutcome>;
  readonly #stopped = new AbortController();
  readonly #loops: Promise<void>[];

  constructor(options: IdleSendersOptions) {
    const entries = CLIENTS.map((name): [ClientName, IdleOutcome] => [name, { accepted: 0, reused: 0, failures: [] }]);
    this.outcomes = Object.fromEntries(entries) as Record<ClientName, IdleOutcome>;
    this.#loops = CLIENTS.flatMap((name) =>
      Array.from({ length: options.senders }, (_, number) => this.#keepSending(name, number, options)),
    );
  }

  /** All failures so far. */
  get failures(): string[] {
    return CLIENTS.flatMap((name) => this.outcomes[name].failures.map((failure) => `${name}: ${failure}`));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#loops);
  }

  async #keepSending(name: ClientName, number: number, options: IdleSendersOptions): Promise<void> {
    const { port, paths, token, project, gapMs } = options;
    const client = OPEN[name](port);
    const outcome = this.outcomes[name];
    const path = paths[number % paths.length]!;
    while (!this.#stopped.signal.aborted) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({
        build: { status: 'failed', project },
        random: Math.random(),
        at: performance.now(),
      });
      note(outcome, await client.post(path, headers, body).catch((error: Error) => error));
      const [shortest, longest] = gapMs;
      const gap = shortest + Math.random() * (longest - shortest);
      await pause(gap, undefined, { signal: this.#stopped.signal }).catch(() => {});
    }
    client.close();
  }
}

function note(outcome: IdleOutcome, answer: Answer | Error): void {
  if (answer instanceof Error) outcome.failures.push(answer.message);
  else if (answer.status !== 202) outcome.failures.push(`status ${answer.status}`);
  else outcome.accepted += 1;
  if (!(answer instanceof Error) && answer.isReused) outcome.reused += 1;
}

const OPEN: Record<ClientName, (port: number) => Client> = {
  undici: openUndici,
  'node:http': (port) => openNode(port, new Agent({ keepAlive: true, maxSockets: 1 })),
  'node:http without the announced timeout': (port) =>
    openNode(port, new PatientAgent({ keepAlive: true, maxSockets: 1 })),
};

function openUndici(port: number): Client {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  let [connections, used] = [0, 0];
  pool.on('connect', () => {
    connections += 1;
  });
  return {
    post: async (path, headers, body) => {
      const response = await pool.request({ method: 'POST', path, headers, body });
      await response.body.dump();
      const isReused = connections === used;
      used = connections;
      return { status: response.statusCode, isReused };
    },
    close: () => void pool.destroy(),
  };
}

function openNode(port: number, agent: Agent): Client {
  return {
    post: (path, headers, body) =>
      new Promise((resolve, reject) => {
        const order: ClientRequestArgs = { host: '127.0.0.1', port, path, method: 'POST', headers, agent };
        const sent = sendWithNode(order, (response) => {
          const answer = { status: response.statusCode ?? 0, isReused: sent.reusedSocket };
          response.resume().once('end', () => resolve(answer));
        });
        sent.once('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Keeps idle connections until the server closes them, as many libraries and proxies do. */
class PatientAgent extends Agent {
  override keepSocketAlive(socket: Socket): boolean {
    socket.setKeepAlive(true);
    socket.unref();
    return true;
  }
}
