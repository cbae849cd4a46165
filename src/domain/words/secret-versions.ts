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
