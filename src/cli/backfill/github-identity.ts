import type { Webhook } from '../../client/api-types.ts';
import { describeScheme } from '../../definitions/signature/schemes/describe-scheme.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { CliError } from '../exit-codes.ts';

/** GitHub sends its delivery ID here, and reports it as `guid`. */
const GITHUB_ID = 'X-GitHub-Delivery';

/**
 * Throws `CliError` if the log of the webhook does not identify deliveries by the ID of GitHub. A delivery that was accepted
 * would look like a missed one, and start its runs again.
 */
export function requireGithubIdentity(webhook: Webhook): void {
  if (readsGithubId(webhook)) return;
  const why = 'does not read the delivery ID of GitHub, so deliveries that it has accepted cannot be recognized';
  throw new CliError(`The webhook ${escapeText(webhook.name)} ${why}.`, {
    hint: `Set deliveryIdHeader: ${GITHUB_ID}, and then use a --since after this change. Or choose another webhook with --webhook.`,
  });
}

function readsGithubId(webhook: Webhook): boolean {
  const { delivery_id_header: header, delivery_id_path: path, auth_mode: mode } = webhook;
  if (header !== null) return isGithubId(header);
  if (path !== null || mode !== 'signature') return false;
  const scheme = resolveScheme(webhook.signature_scheme, webhook.signature);
  const identities = scheme === null ? [] : describeScheme(scheme).identities;
  return identities.length > 0 && identities.every(isGithubId);
}

function isGithubId(name: string): boolean {
  return name.toLowerCase() === GITHUB_ID.toLowerCase();
}
