import { queryOptions } from '@tanstack/react-query';
import type { AuditEntry } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** Filter of the audit log; `null` means any. */
export interface AuditFilter {
  /** ID of the actor. */
  actor: string | null;
  /** Path of an object. Includes everything below it. */
  object: string | null;
  outcome: AuditEntry['outcome'] | null;
  /** `null` for changes and sign-ins. */
  include: 'reads' | 'all' | null;
  /** Times in RFC 3339: `from` is included, `to` is not. */
  from: string | null;
  to: string | null;
}

/** Newest first. */
export function auditQuery({ actor, object, outcome, include, from, to }: AuditFilter, cursor: string | null) {
  return queryOptions({
    queryKey: ['audit', actor, object, outcome, include, from, to, cursor],
    queryFn: () => {
      const query = {
        actor: actor ?? undefined,
        object: object ?? undefined,
        outcome: outcome ?? undefined,
        include: include ?? undefined,
        from: from ?? undefined,
        to: to ?? undefined,
        cursor: cursor ?? undefined,
      };
      return readAnswer(api.GET('/api/v1/audit', { params: { query } }));
    },
  });
}
