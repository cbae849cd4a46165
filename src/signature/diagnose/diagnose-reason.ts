import { AUTH_REASONS, type AuthReason } from '../../words/delivery-reasons.ts';
import type { Scheme } from '../scheme.ts';
import { listCredentialPlaces } from '../schemes/schemes.ts';

/** One sentence derived only from the reason of a rejection; `null` if the reason does not show the cause. */
export function diagnoseReason(reason: string, detail: string | null, scheme: Scheme | null): string | null {
  if (!Object.hasOwn(AUTH_REASONS, reason)) return null;
  const { text, remedy } = AUTH_REASONS[reason as AuthReason];
  if (remedy === null) return null;
  const places = scheme === null ? 'its credential' : `\`${listCredentialPlaces(scheme).slice(0, 2).join('` or `')}\``;
  const what = text.replace(/\.$/, '');
  const joint = what.includes(': ') ? ';' : ':';
  return `${what}${detail === null ? '' : ` (${detail})`}${joint} ${remedy.replace('{places}', places)}.`;
}
