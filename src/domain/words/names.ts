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

/** The providers whose triggers webhooks can serve, by their names in definitions. */
export const PROVIDER_TITLES = {
  github: 'GitHub',
  gitlab: 'GitLab',
  linear: 'Linear',
  jira: 'Jira',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  azure_devops: 'Azure DevOps',
} as const;

const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,99})$/;
const REPOSITORY = /^[A-Za-z0-9._-]{1,100}$/;

/** The path of an organization (`ORG`) or a repository (`ORG/REPO`) in the API of GitHub; `null` for any other text. */
export function findGithubPath(target: string): string | null {
  const [owner = '', repository, ...more] = target.split('/');
  if (!OWNER.test(owner) || more.length > 0) return null;
  if (repository === undefined) return `/orgs/${owner}`;
  return REPOSITORY.test(repository) && !/^\.+$/.test(repository) ? `/repos/${owner}/${repository}` : null;
}

/** The UID of a webhook in the path of its URL, for any host in front of it; `null` if the URL has none. */
export function readWebhookUid(url: string): string | null {
  return /\/webhooks\/w\/(wh_[0-9a-z]{26})(?:[/?#]|$)/.exec(url)?.[1] ?? null;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Can nobody on the network read what is sent to this URL? */
export function isProtectedUrl(url: string): boolean {
  return new URL(url).protocol === 'https:' || isLoopbackUrl(url);
}

/** Does the URL lead to the machine that opens it? */
export function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
