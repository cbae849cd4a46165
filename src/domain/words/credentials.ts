/** The scope of a team secret, as the API presents it. `null` stands for all factories. */
interface Scope {
  webhook: readonly string[] | null;
  run: readonly string[] | null;
}

/** The scope in words, such as `payments (webhooks and runs)`. */
export function describeScope({ webhook, run }: Scope): string {
  if (JSON.stringify(webhook) === JSON.stringify(run)) {
    return isNone(webhook) ? 'no factory' : `${nameFactories(webhook)} (webhooks and runs)`;
  }
  const parts = [
    ...(isNone(webhook) ? [] : [`${nameFactories(webhook)} (webhooks)`]),
    ...(isNone(run) ? [] : [`${nameFactories(run)} (runs)`]),
  ];
  return parts.join(', ');
}

/** Whether no factory may use the secret. */
export function isUnusable({ webhook, run }: Scope): boolean {
  return isNone(webhook) && isNone(run);
}

/** What to do about a secret that no factory may use. */
export function adviseScope(name: string): string {
  return `No factory may use ${name} yet. Allow it with: dockbell secret update ${name} --factory FACTORY`;
}

function isNone(factories: readonly string[] | null): boolean {
  return factories?.length === 0;
}

function nameFactories(factories: readonly string[] | null): string {
  return factories === null ? 'all factories' : factories.join(', ');
}

/** Who stored or replaced a version of a secret, and when. */
interface Change {
  /** Wall time in milliseconds. */
  at: number;
  /** Name of the user or token; `null` if it is not known. */
  by: string | null;
}

/** A version of a secret that a sender used, although the webhook checks another one. */
interface UsedVersion {
  secretName: string;
  version: number;
  /** The version that the webhook checks. */
  checked: number;
  stored: Change;
  /** `null` for the newest version. */
  replaced: Change | null;
}

/** Which version the sender used, and when it was replaced or, if it is newer than the checked one, stored. */
export function describeUsedVersion({ secretName, version, checked, stored, replaced }: UsedVersion): string {
  const isOlder = version < checked;
  const history = isOlder ? replaced && describeChange('replaced', replaced) : describeChange('stored', stored);
  return `version ${version} of ${secretName}${history === null ? '' : `, ${history}`}; the webhook checks version ${checked}`;
}

function describeChange(verb: string, { at, by }: Change): string {
  return `${verb} ${new Date(at).toISOString()}${by === null ? '' : ` by ${by}`}`;
}

const DAY_MS = 86_400_000;

/** A token is reported for this time before it expires. */
const NOTICE_MS = 14 * DAY_MS;

/** The end of a token as wall time; `null` if it never expires. */
interface Expiring {
  expiresAt: number | null;
}

export function hasExpired({ expiresAt }: Expiring, nowMs: number): boolean {
  return expiresAt !== null && nowMs >= expiresAt;
}

/** Whether the token still works and expires soon. */
export function expiresSoon({ expiresAt }: Expiring, nowMs: number): boolean {
  return expiresAt !== null && nowMs < expiresAt && expiresAt - nowMs <= NOTICE_MS;
}
