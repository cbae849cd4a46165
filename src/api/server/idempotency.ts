import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, messageOf } from '../../core/errors.ts';
import type { AnswerStore } from '../../core/ports/access/idempotency.ts';
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

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * `Idempotency-Key` on routes that make something: who repeats a request within a day gets the first answer again, secret
 * included, and nothing is made twice. Only what succeeded is kept. Keys belong to who sent them, and to the path.
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
    if (found.kind !== 'found') return undefined;
    idempotency.isReplay = true;
    return replay(reply, JSON.parse(found.text));
  });
  // Also if the client has disconnected: its next request waits for this one, or finds the response.
  app.addHook('onSend', async (request, reply, payload) => {
    const { idempotency } = request;
    if (idempotency === null) return payload;
    if (!idempotency.isReplay && reply.statusCode < 300 && typeof payload === 'string') {
      const answer = {
        status: reply.statusCode,
        etag: readHeader(reply, 'etag'),
        location: readHeader(reply, 'location'),
        body: payload,
      };
      await keep(answers, request, idempotency, answer);
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

/** What was made is made: an answer that cannot be kept still goes out. */
async function keep(
  answers: AnswerStore,
  request: FastifyRequest,
  { key, fingerprint }: Idempotency,
  answer: Answer,
): Promise<void> {
  try {
    await answers.keep(key, fingerprint, JSON.stringify(answer));
  } catch (error) {
    request.log.warn({ problem: messageOf(error) }, 'response to an idempotent request not stored');
  }
}
