import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import { AUTOMATION_FIELDS } from '../../domain/resources/automation.ts';
import { pickWith } from '../../domain/resources/fields.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';

/**
 * The `ETag` of an object, which `If-Match` refers to: a digest of everything that an edit can change. Values that change
 * without an edit, such as the time of the last delivery, are not part of it.
 */
type EntityTag = `"${string}"`;

export function tagWebhook(webhook: AppliedWebhook): EntityTag {
  return digest(Object.values(pickWith(WEBHOOK_FIELDS, 'tagged', webhook)));
}

export function tagAutomation(automation: AppliedAutomation): EntityTag {
  return digest(Object.values(pickWith(AUTOMATION_FIELDS, 'tagged', automation)));
}

/** The entity tag of a factory, which depends only on its revision. */
export function tagRevision(revision: string | null): EntityTag {
  return digest([revision]);
}

/**
 * Throws `precondition_failed` if the object was changed since the caller read it.
 *
 * @param ifMatch the header as sent: `*`, or tags separated by commas; `null` for no check
 * @param current `null` if the object does not exist
 */
export function requireMatch(ifMatch: string | null, current: EntityTag | null): void {
  if (ifMatch === null) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (current !== null && (tags.includes('*') || tags.includes(current))) return;
  const message = 'It was changed since you read it. Read it again and repeat your change on the current version.';
  throw new AppError('precondition_failed', message);
}

function digest(parts: readonly unknown[]): EntityTag {
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
}
