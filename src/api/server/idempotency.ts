import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { AnswerStore, ReservedKey } from '../../domain/ports/idempotency.ts';
import { principalOf } from './reach.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Does the route accept an `Idempotency-Key`? Every route that creates something does. */
    idempotent?: true;
  }
  interface FastifyRequest {
    /** The key it is processed under; `null` without one. */
    idempotency: Idempotency | null;
  }
}

interface Idempotency {
  key: Uint8Array;
  fingerprint: Uint8Array;
  /** Stored with the first change; `null` until it is known that the key is free. */
  reserved: ReservedKey | null;
  /** Is the answer one that was given before? */
  isReplay: boolean;
}

/** What is given again. */
interface Answer {
  status: number;
  etag: string | null;
  location: string | null;
  body: string;
}

const ANSWER_LOST =
  'The first request with this Idempotency-Key made its change, but its response was lost. Look for the change. If it is missing or incomplete, send the request with a new key.';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * `Idempotency-Key` on routes that make something: who repeats a request within a day gets the first answer again, secret
 * included, and nothing is made twice. The key is stored in the transaction of the first change (`auditChanges`), so this holds also
 * if the daemon ends before it stores the answer. Only answers of success are kept. Keys belong to who sent them, and to the path.
 */
export function handleIdempotencyKeys(app: FastifyInstance, answers: AnswerStore): void {
  const underWay = new Set<string>();
  app.decorateRequest('idempotency', null);
  app.addHook('preHandler', async (request, reply) => {
    const idempotency = readIdempotency(request);
    if (idempotency === null) return undefined;
    const id = nameOf(idempotency);
    if (underWay.has(id)) {
      const advice = 'Wait for its response, then send this one again';
      throw new AppError('idempotency_key_in_use', `A request with this Idempotency-Key is in progress. ${advice}.`);
    }
    underWay.add(id);
    request.idempotency = idempotency;
    const found = await answers.find(idempotency.key, idempotency.fingerprint);
    if (found.kind === 'other-body') {
      throw new AppError('idempotency_key_reused', 'The Idempotency-Key was used with another body. Choose a new one.');
    }
    if (found.kind === 'lost') throw new AppError('idempotency_answer_lost', ANSWER_LOST);
    if (found.kind === 'none') {
      idempotency.reserved = answers.reserve(idempotency.key, idempotency.fingerprint);
      return undefined;
    }
    idempotency.isReplay = true;
    return replay(reply, JSON.parse(found.text));
  });
  // Also if the client has disconnected: its next request waits for this one, or finds the response.
  app.addHook('onSend', async (request, reply, payload) => {
    const { idempotency } = request;
    if (idempotency === null) return payload;
    if (idempotency.reserved !== null) {
      await settle(answers, request, reply, payload).catch((error: unknown) => {
        request.log.warn({ problem: messageOf(error) }, 'response to an idempotent request not stored');
      });
    }
    underWay.delete(nameOf(idempotency));
    return payload;
  });
}

function nameOf({ key }: Idempotency): string {
  return Buffer.from(key).toString('hex');
}

function readIdempotency(request: FastifyRequest): Idempotency | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined || request.routeOptions.config.idempotent !== true) return null;
  if (typeof header !== 'string' || !KEY.test(header)) {
    throw new AppError('bad_request', 'An Idempotency-Key has 1 to 255 visible ASCII characters.');
  }
  const { kind, id } = principalOf(request);
  const path = request.url.split('?', 1)[0];
  return {
    key: digest([kind, id, request.method, path, header]),
    fingerprint: digest([request.body]),
    reserved: null,
    isReplay: false,
  };
}

function digest(parts: readonly unknown[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

function readHeader(reply: FastifyReply, name: 'etag' | 'location'): string | null {
  const value = reply.getHeader(name);
  return typeof value === 'string' ? value : null;
}

function replay(reply: FastifyReply, { status, etag, location, body }: Answer): FastifyReply {
  if (etag !== null) void reply.header('etag', etag);
  // Answers that an earlier version kept have none.
  if (typeof location === 'string') void reply.header('location', location);
  return reply.code(status).header('idempotent-replayed', 'true').type('application/json; charset=utf-8').send(body);
}

/**
 * Keeps the answer to what was made. After a rejection or a failure, the key is free again. But after a failure (5xx) that followed a
 * stored change, it stays without an answer: a repetition could make that change twice.
 */
async function settle(
  answers: AnswerStore,
  { idempotency, trail }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const { key, fingerprint } = idempotency!;
  const { statusCode: status } = reply;
  if (status < 300 && typeof payload === 'string') {
    const answer = { status, etag: readHeader(reply, 'etag'), location: readHeader(reply, 'location'), body: payload };
    await answers.keep(key, fingerprint, JSON.stringify(answer satisfies Answer));
  } else if (trail!.isStored && !(status >= 500 && trail!.hasChanged)) {
    await answers.forget(key);
  }
}
