import type { AppliedWebhook } from '../resources/webhook.ts';
import { parseDuration } from '../words/quantities.ts';

/** The longest value of `rotationOverlap`, 7 days in milliseconds. */
export const MAX_ROTATION_OVERLAP_MS = 7 * 24 * 60 * 60 * 1000;

/** The wall time until which the previous version of the secret is accepted; `null` if it never is. */
export function findOverlapEnd({
  rotationOverlap,
  previousSecretVersion,
  secretPinnedAt,
}: Pick<AppliedWebhook, 'rotationOverlap' | 'previousSecretVersion' | 'secretPinnedAt'>): number | null {
  const overlapMs = parseDuration(rotationOverlap) ?? 0;
  if (overlapMs === 0 || previousSecretVersion === null || secretPinnedAt === null) return null;
  return secretPinnedAt + overlapMs;
}
