import type { Delivery } from '../../api/types.ts';

/**
 * Why a request was turned away, in plain words, and what to look at; by the reason of the log.
 * docs/reference/receiving-deliveries.md has the same reasons (a test compares them).
 */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  missing_credential:
    'The request came without a credential. Check that the sender is set up with the secret, and that nothing on the way removes its header.',
  malformed_credential:
    'The Authorization header does not have the form that this webhook expects. A token is sent as “Bearer” and the token.',
  bad_credential: 'The token is not the secret of this webhook. The sender may hold an older one.',
  malformed_signature: 'The signature header does not have the form of this webhook’s scheme. Is it the right scheme?',
  bad_signature:
    'No signature matches. The sender may hold another secret, or something on the way changed the body or a signed header.',
  missing_header: 'A header that the scheme needs beside the signature is missing or empty.',
  missing_timestamp: 'The request does not say when it was signed.',
  unexpected_header: 'A header says that the request was signed in another way than the scheme of this webhook.',
  missing_field: 'The body lacks a value that the scheme needs.',
  malformed_timestamp: 'The time of signing does not have the form that the scheme prescribes.',
  ambiguous_timestamp: 'The request names more than one time of signing.',
  stale_timestamp: 'It was signed too long ago: a late retry, a repeated request, or a clock that is wrong.',
  future_timestamp: 'It was signed in the future: a clock is wrong, the sender’s or this machine’s.',
  wrong_sender: 'The signature is good, but it is of another sender than the secret names.',
  untrusted_key: 'The request names a key where its provider never keeps any.',
  too_large: 'The body is larger than this daemon accepts (limits.bodyBytes).',
  empty_body: 'The body is empty. A webhook takes JSON.',
  invalid_utf8: 'The body is not UTF-8 text: it has another encoding, or is compressed.',
  invalid_json: 'The body is not valid JSON. Senders that offer a choice often call it “application/json”.',
  summed_up: 'More requests were turned away in this minute than are logged one by one; this row stands for the rest.',
  same_identity: 'It was accepted before, with the same body: most likely the sender tried again.',
  same_identity_other_body: 'It was accepted before, with another body: the sender uses one delivery ID twice.',
};

/** The words for a reason; the reason itself where a daemon of another version has one that is not known here. */
export function describeReason(reason: string | null): string {
  return REASON_WORDS[reason ?? ''] ?? reason ?? 'No reason was logged.';
}

/** Where the identity of a delivery came from. */
export const IDENTITY_WORDS: Readonly<Record<NonNullable<Delivery['delivery_id_source']>, string>> = {
  header: 'the delivery ID header of this webhook',
  provider: 'the provider’s own header',
  service_header: 'the header X-Service-Delivery-Id',
  body_hash: 'hash of the body',
};
