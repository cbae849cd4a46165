import type { StoredDecisions } from '../../../core/delivery.ts';

/** The text of `delivery_contents.decisions`: the list alone where all are in it, so that most rows stay short. */
export function encodeDecisions({ decisions, omitted }: StoredDecisions): string {
  if (decisions.length === 0) return '[]';
  return JSON.stringify(omitted === null ? decisions : { decisions, omitted });
}

export function decodeDecisions(text: string): StoredDecisions {
  const stored = JSON.parse(text);
  return Array.isArray(stored) ? { decisions: stored, omitted: null } : stored;
}
