import type { AuditFilter } from '../../../api/audit.ts';

export const NO_FILTER: AuditFilter = { actor: null, object: null, outcome: null, from: null, to: null };

const OUTCOMES = ['done', 'refused', 'failed'] as const;

/** The filter that an address holds, so that it can be passed on. */
export function readAuditFilter(search: URLSearchParams): AuditFilter {
  return {
    actor: search.get('actor'),
    object: search.get('object'),
    outcome: OUTCOMES.find((outcome) => outcome === search.get('outcome')) ?? null,
    from: readInstant(search.get('from')),
    to: readInstant(search.get('to')),
  };
}

export function writeAuditFilter(filter: AuditFilter): Record<string, string> {
  const asked = Object.entries(filter).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(asked);
}

export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}

function readInstant(text: string | null): string | null {
  const atMs = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}
