import type { BodyPath, ContentPart, RequestPlace, RetryPlan, Scheme, SignatureScheme } from '../scheme.ts';
import { DEFAULT_TOLERANCE_SECONDS } from './parts.ts';

/** Seconds from the first attempt to the last retry; `null` if the provider documents none. */
export function findLastRetry(plan: RetryPlan | null): number | null {
  if (plan === null) return null;
  return 'withinSeconds' in plan ? plan.withinSeconds : plan.delaysSeconds.reduce((sum, delay) => sum + delay, 0);
}

/** The age in seconds that the timestamp of a delivery may have; `null` if the scheme checks none. */
export function findTimeWindow(scheme: Scheme): number | null {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return null;
  return scheme.timestamp.toleranceSeconds;
}

/**
 * Is a delivery with the body of an earlier one a duplicate, also with another ID? Yes, if the body identifies the event. Also
 * if a copy of the request verifies for longer than usual and its signature covers no ID, so that anyone could change the ID.
 */
export function isBodySecondKey(scheme: Scheme): boolean {
  if (scheme.eventId !== undefined) return true;
  return (findTimeWindow(scheme) ?? 0) > DEFAULT_TOLERANCE_SECONDS && !signsIdentity(scheme);
}

function signsIdentity(scheme: Scheme): boolean {
  if (scheme.family !== 'signature') return false;
  return scheme.headers.every(({ identity }) => identity !== null && isSigned(scheme, identity));
}

function isSigned({ content }: SignatureScheme, place: RequestPlace): boolean {
  return content.some((part) => part.part === 'identity' || (place.in === 'json' && isAt(part, place.path)));
}

function isAt(part: ContentPart, path: BodyPath): boolean {
  return part.part === 'json' && part.path.join('.') === path.join('.');
}
