const REASONS: Readonly<Record<string, string>> = {
  Applied: 'Went live',
  ValidationFailed: 'The definition has errors',
  NoFactoryFound: 'There is no definition in the commit',
  SecretMissing: 'Waits for a secret',
  SecretUnsuitable: 'A secret does not fit its webhook',
  StorageFailed: 'The storage failed',
  InternalError: 'The pass broke off',
};

/** A reason code in words; one that is not known is taken apart: `FetchFailed` is `Fetch failed`. */
export function describeReason(reason: string): string {
  const known = REASONS[reason];
  if (known !== undefined) return known;
  const [first = '', ...rest] = reason.split(/(?=[A-Z])/);
  return [first, ...rest.map((word) => word.toLowerCase())].join(' ');
}
