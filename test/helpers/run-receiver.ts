import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StandardWebhook } from '../providers/senders.ts';

export const RECEIVER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A request whose signature the official SDK has verified. */
interface TakenRun {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the body
  body: any;
}

export type Answer = (response: ServerResponse, taken: TakenRun) => void;

/** A receiver of the executor `http`. */
export interface RunReceiver {
  url: string;
  port: number;
  /** Requests in their order. */
  taken: TakenRun[];
  /** Answers the next requests, in order; afterwards, and at first, the last one answers all. */
  script(...answers: Answer[]): void;
  close(): Promise<void>;
}

/** Responds with this status. */
export function answer(status: number, body = '', headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, headers).end(body);
}

export const answerJson = (value: unknown): Answer =>
  answer(200, JSON.stringify(value), { 'content-type': 'application/json' });

/** Never responds. */
export const hold: Answer = () => {};

/** Closes the connection without a response. */
export const hangUp: Answer = (response) => void response.destroy();

/** @param port a free port if omitted */
export async function startRunReceiver(port = 0): Promise<RunReceiver> {
  const taken: TakenRun[] = [];
  let answers: Answer[] = [answer(200)];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    try {
      new StandardWebhook(RECEIVER_SECRET).verify(text, request.headers as Record<string, string>);
    } catch {
      return void response.writeHead(401).end('the signature is wrong');
    }
    const run = { headers: request.headers, text, body: JSON.parse(text) };
    taken.push(run);
    const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
    next!(response, run);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/runs`,
    port: bound,
    taken,
    script: (...next) => {
      answers = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
