import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '../../domain/json.ts';

/** Marks a request that another replica forwarded, with the reason. */
const FORWARDED = 'x-dockbell-forwarded';

/** `leader`: the replica leads. `files`: the replica has the files that the request is about. */
type ForwardReason = 'leader' | 'files';

/** Headers of one connection (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer']);

/** Without a connection for this time, the answer of a question is that the replica does not know. */
const QUESTION_MS = 5_000;
const MAX_ANSWER_BYTES = 1_048_576;

/** Why another replica forwarded this request; `null` if a client sent it. */
export function reasonOfForward({ headers }: Pick<FastifyRequest, 'headers'>): ForwardReason | null {
  const reason = headers[FORWARDED];
  return reason === undefined ? null : reason === 'files' ? 'files' : 'leader';
}

/**
 * Sends a request and its answer as they come, also those that take long. Resolves when the answer begins, or with `false` if the
 * replica cannot be reached. The reply is not the result, because it is a thenable: the promise would wait for the end of the answer.
 */
export function forwardRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  adminUrl: string,
  reason: ForwardReason,
): Promise<boolean> {
  const asked = openRequest(request, new URL(request.url, adminUrl), request.raw.method!, reason);
  return new Promise((resolve) => {
    asked.once('response', (answer) => {
      reply.hijack();
      resolve(true);
      reply.raw.writeHead(answer.statusCode!, omitHopByHop(answer.headers));
      answer.pipe(reply.raw);
      answer.once('error', () => reply.raw.destroy());
      reply.raw.once('close', () => asked.destroy());
    });
    asked.once('error', () => {
      if (reply.sent) reply.raw.destroy();
      else resolve(false);
    });
    request.raw.pipe(asked);
  });
}

/** Reads a path of the management API of another replica with the credential of a request. `null` if it has no answer. */
export function askReplica(
  request: FastifyRequest,
  adminUrl: string,
  path: string,
  reason: ForwardReason,
): Promise<Json | null> {
  const asked = openRequest(request, new URL(path, adminUrl), 'GET', reason);
  asked.setTimeout(QUESTION_MS, () => asked.destroy());
  return new Promise((resolve) => {
    asked.once('error', () => resolve(null));
    asked.once('response', (answer) => {
      readJson(answer).then(resolve, () => resolve(null));
    });
    asked.end();
  });
}

async function readJson(answer: IncomingMessage): Promise<Json | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error('the answer of a replica is too long');
  }
  return answer.statusCode === 200 ? (JSON.parse(Buffer.concat(chunks).toString()) as Json) : null;
}

function openRequest(
  { raw, ip, protocol }: FastifyRequest,
  url: URL,
  method: string,
  reason: ForwardReason,
): ClientRequest {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const headers = {
    ...omitHopByHop(raw.headers),
    [FORWARDED]: reason,
    'x-forwarded-for': ip,
    'x-forwarded-proto': protocol,
  };
  return send(url, { method, headers, agent: false });
}

function omitHopByHop<Headers extends Record<string, unknown>>(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))) as Headers;
}
