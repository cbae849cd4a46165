import { queryOptions } from '@tanstack/react-query';
import type { AuditEntry } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** Which part of the audit log is asked for; `null` is not asked for. */
export interface AuditFilter {
  /** ID of who did it. */
  actor: string | null;
  /** Path of an object, with all below it. */
  object: string | null;
  outcome: AuditEntry['outcome'] | null;
  /** RFC 3339: at it or later, and before it. */
  from: string | null;
  to: string | null;
}

/** Newest first. */
export function auditQuery({ actor, object, outcome, from, to }: AuditFilter, cursor: string | null) {
  return queryOptions({
    queryKey: ['audit', actor, object, outcome, from, to, cursor],
    queryFn: () => {
      const query = {
        ...{ actor: actor ?? undefined, object: object ?? undefined, outcome: outcome ?? undefined },
        ...{ from: from ?? undefined, to: to ?? undefined, cursor: cursor ?? undefined },
      };
      return readAnswer(api.GET('/api/v1/audit', { params: { query } }));
    },
  });
}
