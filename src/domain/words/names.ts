/** Name of a webhook or of an automation: its file or folder name. */
export const WEBHOOK_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Name of a team secret; also a portable name of an environment variable. */
export const SECRET_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** GitHub, Travis CI and Slack put JSON into this field of a form. Webhooks can name another one. */
export const JSON_FIELD = 'payload';

/** A name of a factory that the configuration allows, as similar to this name of a folder as possible. */
export function suggestFactoryName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return name || 'factory';
}

/**
 * The name for the secret of a webhook: its name in upper case, other characters as `_`, then `_WEBHOOK_SECRET`.
 *
 * @param taken names that exist already: a number makes the suggestion unique
 */
export function suggestSecretName(webhook: string, taken: ReadonlySet<string> = new Set()): string {
  const words = webhook.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  const base = `${/^\d/.test(words) ? '_' : ''}${words}_WEBHOOK_SECRET`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!taken.has(name)) return name;
  }
}
