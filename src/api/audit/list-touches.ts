import { type AuditEntry, RECONCILER } from '../../domain/access/audit.ts';
import type { AuditLog } from '../../domain/ports/access.ts';
import type { Touch } from '../../operations/story/story-parts.ts';
import { describeAction } from '../openapi/operations.ts';

/** The most recent successful changes of an object and the objects below it: who, when and what, without the client. */
export async function listTouches(auditLog: Pick<AuditLog, 'list'>, object: string, limit: number): Promise<Touch[]> {
  const { data } = await auditLog.list({ object, actor: null, outcome: 'done', limit, cursor: null });
  return data.filter(isRequest).map((entry) => ({
    at: entry.at,
    by: entry.actor?.name ?? null,
    action: describeAction(entry.method, entry.route),
    object: entry.object,
  }));
}

/** Applies and pinned secrets are separate steps of a story, with the commit that caused them. */
function isRequest({ actor }: AuditEntry): boolean {
  return actor?.kind !== RECONCILER.kind;
}
