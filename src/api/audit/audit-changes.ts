import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignInMethod } from '../../domain/access/audit.ts';
import { actFor } from '../../domain/access/change-record.ts';
import { messageOf } from '../../domain/errors.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AuditLog } from '../../domain/ports/access.ts';
import type { SignInOutcome } from '../../domain/ports/metrics.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { SlidingWindow } from '../../domain/time/sliding-window.ts';
import { AuditTrail, mayChange } from './audit-trail.ts';
import type { SignInAttempt } from './describe-change.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * When the audit entry of a change is stored. By default before the change, because it is made in another thread, in files or at a
     * provider. `'stored'` if it is made by operations of the storage in this thread: in the transaction of the first one.
     * `'found'` as `'stored'`, for objects that end automatically at any time: a 404 is then no rejected change. `false` for a route
     * that changes nothing although its method could.
     */
    changes?: false | 'stored' | 'found';
  }
  interface FastifyRequest {
    /** An attempt to sign in, successful or not; `null` for all other requests. */
    signIn: SignInAttempt | null;
    /** What the request has changed, if its body does not say it. Shown in the audit log in addition to the body. */
    auditResult: JsonObject | null;
    /** Further objects that the change is about; `null` for none. */
    auditObjects: readonly string[] | null;
    /** `null` before it is authenticated. */
    trail: AuditTrail | null;
  }
}

export interface AuditParts {
  auditLog: AuditLog;
  clock: Clock;
  ids: IdSource;
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
}

/** Failed attempts to sign in that are logged per minute. The others are counted, so that a flood does not fill the disk. */
const MAX_FAILURES_PER_MINUTE = 60;

/**
 * The one place where the audit log is written: for every route that changes something, and every attempt to sign in. The entry
 * is stored with the change or before it, so a change without an entry does not happen. The answer completes the entry. If that
 * fails, the daemon logs an error and the response is sent anyway: the change has been made, and the log has it.
 */
export function auditChanges(app: FastifyInstance, parts: AuditParts): void {
  const admitFailure = createFailureCap(parts.clock);
  app.decorateRequest('trail', null);
  app.decorateRequest('signIn', null);
  app.decorateRequest('auditResult', null);
  app.decorateRequest('auditObjects', null);
  app.addHook('preHandler', (request, _reply, done) => {
    request.trail = new AuditTrail(request, parts);
    actFor(request.trail, done);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const trail = request.trail ?? new AuditTrail(request, parts);
    trail.noteAnswered();
    if (!trail.isStored && !isLogged(request, reply)) return;
    if (request.signIn !== null) parts.countSignIn(request.signIn.method, rateStatus(statusOf(request, reply)));
    const { entry, objects } = trail.describe({ status: statusOf(request, reply), payload });
    const omitted = entry.actor === null && !trail.isStored ? admitFailure() : 0;
    if (omitted === null) return;
    if (omitted > 0) entry.changes = { ...entry.changes, omitted_before: omitted };
    await parts.auditLog.append(entry, objects).catch((error: unknown) => {
      const lost = { problem: messageOf(error), route: entry.route, actor: entry.actor?.id, stored: trail.isStored };
      request.log.error(lost, 'audit entry not completed');
    });
  });
}

/** Stores the entries of changes that are not made in the storage, before they are made. Behind the hooks that may reply. */
export function auditChangesAhead(app: FastifyInstance, { auditLog }: Pick<AuditParts, 'auditLog'>): void {
  app.addHook('preHandler', async ({ trail, routeOptions }) => {
    const record = routeOptions.config.changes === undefined ? trail!.record() : null;
    if (record === null) return;
    await auditLog.begin(record);
    trail!.noteAhead();
  });
}

function rateStatus(status: number): SignInOutcome {
  return status < 400 ? 'success' : status === 429 ? 'limited' : 'failure';
}

function statusOf({ signIn }: FastifyRequest, { statusCode }: FastifyReply): number {
  return signIn?.rejection?.status ?? statusCode;
}

/** Returns the number of failures omitted since the last one that was logged; `null` if this one is omitted, too. */
function createFailureCap(clock: Clock): () => number | null {
  const window = new SlidingWindow(MAX_FAILURES_PER_MINUTE, 60_000);
  let omitted = 0;
  return () => {
    if (window.admit(clock.monotonicMs()) > 0) {
      omitted += 1;
      return null;
    }
    const before = omitted;
    omitted = 0;
    return before;
  };
}

/** Is an entry needed of a request that was answered, although nothing was stored before the answer? */
function isLogged(request: FastifyRequest, reply: FastifyReply): boolean {
  if (!mayChange(request)) return false;
  if (request.routeOptions.config.changes === 'found' && reply.statusCode === 404) return false;
  // A replayed response represents no new change.
  return reply.getHeader('idempotent-replayed') === undefined;
}
