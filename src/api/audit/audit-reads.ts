import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { READ } from '../../domain/access/audit.ts';
import { messageOf } from '../../domain/errors.ts';
import { derivedAuditId } from '../../domain/ids.ts';
import type { AuditLog } from '../../domain/ports/access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { describeChange } from './describe-change.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route returns content of senders or runs: a payload, a log or an artifact. The first read per reader, object and day is audited. */
    discloses?: true;
  }
}

interface ReadAuditParts {
  auditLog: Pick<AuditLog, 'append'>;
  clock: Clock;
}

const DAY_MS = 86_400_000;

/** Per day. Limits the growth of the audit log, and the writes that wait while the database is locked. */
const MAX_READS_PER_READER = 1_000;

/**
 * Stores one audit entry per reader, object and day (UTC). The ID of the entry is derived from these three, so that replicas and
 * restarts add no second one. The response does not wait for the entry: reads go on while the database cannot be written.
 */
export function auditReads(app: FastifyInstance, { auditLog, clock }: ReadAuditParts): void {
  const noted = new NotedReads();
  app.addHook('onSend', async (request, reply) => {
    if (!isRead(request, reply)) return;
    const at = clock.wallMs();
    const day = Math.floor(at / DAY_MS);
    const read = {
      ...describeChange(request, { status: reply.statusCode, payload: null }),
      method: READ,
      changes: null,
    };
    const reader = request.principal!.id;
    const admission = noted.admit(day, reader, read.object);
    if (admission === 'last') request.log.warn({ actor: reader }, 'read limit of audit log reached');
    if (admission === 'no') return;
    const id = derivedAuditId(day * DAY_MS, hashRead(reader, read.object, day));
    auditLog.append({ ...read, id, at }).catch((error: unknown) => {
      noted.forget(reader, read.object);
      request.log.error({ problem: messageOf(error), route: read.route, actor: reader }, 'read not audited');
    });
  });
}

/** The receiver of a run reads its own run. That is part of the run. */
function isRead({ method, principal, routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  if (method !== 'GET' || routeOptions.config.discloses !== true) return false;
  return statusCode < 400 && principal !== null && principal.hold === null;
}

function hashRead(reader: string, object: string, day: number): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([reader, object, day]))
    .digest();
}

/** The objects that each reader has read today. */
class NotedReads {
  #day = 0;
  readonly #objects = new Map<string, Set<string>>();

  /** `last`: the read is admitted, and further objects of this reader are not. */
  admit(day: number, reader: string, object: string): 'yes' | 'last' | 'no' {
    if (day !== this.#day) this.#objects.clear();
    this.#day = day;
    const objects = this.#objects.get(reader) ?? new Set();
    this.#objects.set(reader, objects);
    if (objects.has(object) || objects.size >= MAX_READS_PER_READER) return 'no';
    objects.add(object);
    return objects.size === MAX_READS_PER_READER ? 'last' : 'yes';
  }

  /** The entry was not stored, so the next read stores it. */
  forget(reader: string, object: string): void {
    this.#objects.get(reader)?.delete(object);
  }
}
