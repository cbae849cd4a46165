/**
 * Why a request failed to authenticate: the machine-readable `reason` of a `Rejected (auth)` entry, with a sentence for
 * people. For the team's eyes; senders see one fixed `401`. A published reason is not reused for something else.
 */
export const AUTH_REASONS = {
  missing_credential: 'The request carries no credential: the header is absent, empty, or holds only its prefix.',
  malformed_credential: 'The `Authorization` header does not have the form that the mode or the scheme prescribes.',
  bad_credential: 'The token is not the secret of this webhook.',
  malformed_signature: 'The signature header does not have the form that the scheme prescribes.',
  bad_signature: 'No signature matches: the secret differs, or the body or a signed header was changed on the way.',
  missing_header: 'A header that the scheme needs beside the signature is absent or empty.',
  missing_timestamp: 'The request says no moment of signing.',
  unexpected_header: 'A header that says how the request was signed says something else than the scheme prescribes.',
  missing_field: 'The body lacks a value that the scheme needs, or it has another type.',
  malformed_timestamp: 'The moment of signing does not have the form that the scheme prescribes.',
  ambiguous_timestamp: 'The request says more than one moment of signing.',
  stale_timestamp:
    'The signature is too old: a replay, a late retry that was not signed anew, or a clock that is wrong.',
  future_timestamp: 'The moment of signing lies too far in the future: a clock is wrong.',
  wrong_sender: 'The signature is good, but not of the sender that the secret names.',
  untrusted_key: 'The request names a key at a place where the keys of its provider never are.',
} as const;

export type AuthReason = keyof typeof AUTH_REASONS;
