interface ReasonWords {
  /** What happened, as one or two sentences. */
  text: string;
  /**
   * What to do, for the end of a sentence. `{places}` stands for the headers of the scheme. `null` if only the request
   * itself can show the cause.
   */
  remedy: string | null;
}

/**
 * Why a request failed to authenticate: the codes of `Rejected (auth)` entries. Only the team sees them, senders get a
 * fixed `401`. A published code is never used for something else.
 */
export const AUTH_REASONS = {
  missing_credential: {
    text: 'The request has no credential: the header is missing, empty, or contains only its prefix.',
    remedy: 'configure the secret at the sender, so that it sends {places}',
  },
  malformed_credential: {
    text: 'The `Authorization` header does not have the form that the mode or the scheme requires.',
    remedy: 'configure the sender to write {places} as the scheme requires',
  },
  bad_credential: {
    text: 'The token is not the secret of this webhook.',
    remedy: null,
  },
  encoded_token: {
    text: 'The token in the URL is the secret of this webhook, but percent-encoded.',
    remedy: 'configure the sender to write the URL as given, without percent-encoding',
  },
  old_secret_version: {
    text: 'The sender uses an older version of the secret.',
    remedy: 'give the sender the new value',
  },
  new_secret_version: {
    text: 'The sender uses a newer version of the secret than the webhook.',
    remedy: 'commit any change to the production branch, or disable and enable a webhook that Dockbell hosts',
  },
  malformed_signature: {
    text: 'The signature header does not have the form that the scheme requires.',
    remedy: 'check that the webhook has the scheme of this sender, and that the sender writes {places} in its form',
  },
  bad_signature: {
    text: 'No signature matches: the secret differs, or the body or a signed header was changed in transit.',
    remedy: null,
  },
  missing_header: {
    text: 'A header that the scheme needs in addition to the signature is missing or empty.',
    remedy: 'check that no proxy removes headers, and that the webhook has the scheme of this sender',
  },
  missing_timestamp: {
    text: 'The request does not contain the time of signing.',
    remedy: 'configure the sender to send the time of signing, and check that no proxy removes its header',
  },
  unexpected_header: {
    text: 'A header says that the request was signed differently than the scheme requires.',
    remedy: 'configure the sender to sign as the scheme requires',
  },
  missing_field: {
    text: 'The body lacks a value that the scheme needs, or the value has another type.',
    remedy: 'check that the webhook has the scheme of this sender',
  },
  malformed_timestamp: {
    text: 'The time of signing does not have the form that the scheme requires.',
    remedy: 'configure the sender to write the time of signing in the unit of the scheme',
  },
  ambiguous_timestamp: {
    text: 'The request contains more than one time of signing.',
    remedy: 'configure the sender to send the time of signing once, and check that no proxy adds a second one',
  },
  stale_timestamp: {
    text: 'The request was signed too long ago: it is a replay or a late retry with the old signature, or a clock is wrong.',
    remedy: 'synchronize the clocks, and configure the sender to sign every retry again',
  },
  future_timestamp: {
    text: 'The time of signing is too far in the future: the clock of the sender or of this host is wrong.',
    remedy: 'synchronize the clocks of the sender and of this host',
  },
  wrong_sender: {
    text: 'The signature is valid, but belongs to another sender than the secret names.',
    remedy: 'store the name of the sender that sends the deliveries',
  },
  untrusted_key: {
    text: 'The request names a key at a location where its provider does not publish keys.',
    remedy: 'treat the request as forged unless the provider has announced this location',
  },
} as const satisfies Readonly<Record<string, ReasonWords>>;

export type AuthReason = keyof typeof AUTH_REASONS;

/** Why the body of an authenticated request was rejected. A code stands for one cause, so that its remedy is right. */
export const BODY_REASONS = {
  empty_body: {
    label: 'Rejected (invalid JSON)',
    text: 'The body is empty.',
    remedy: 'configure the sender to send a payload',
  },
  compressed_body: {
    label: 'Rejected (invalid JSON)',
    text: 'The body is compressed.',
    remedy: 'switch compression off at the sender or the proxy',
  },
  invalid_utf8: {
    label: 'Rejected (invalid JSON)',
    text: 'The body is not valid UTF-8.',
    remedy: 'configure the sender to send UTF-8',
  },
  byte_order_mark: {
    label: 'Rejected (invalid JSON)',
    text: 'The body begins with a byte order mark, which RFC 8259 forbids for senders.',
    remedy: 'configure the sender to send UTF-8 without byte order mark',
  },
  invalid_json: {
    label: 'Rejected (invalid JSON)',
    text: 'The body is not valid JSON as RFC 8259 defines it.',
    remedy: 'correct the JSON at the sender',
  },
  body_is_form: {
    label: 'Rejected (invalid JSON)',
    text: 'The sender posts a form, but the webhook expects JSON.',
    remedy: 'set `bodyFormat: form`, or select application/json at the sender',
  },
  body_is_json: {
    label: 'Rejected (invalid JSON)',
    text: 'The sender posts JSON, but the webhook expects a form.',
    remedy: 'remove `bodyFormat: form`, or select application/x-www-form-urlencoded at the sender',
  },
  unexpected_content_type: {
    label: 'Rejected (invalid JSON)',
    text: 'The request does not declare a form, but the webhook expects one.',
    remedy: 'select application/x-www-form-urlencoded at the sender, or remove `bodyFormat: form`',
  },
  invalid_form: {
    label: 'Rejected (invalid JSON)',
    text: 'The body is not a valid form.',
    remedy: 'correct the form at the sender',
  },
  missing_form_field: {
    label: 'Rejected (invalid JSON)',
    text: 'The form does not contain the field of the webhook exactly once.',
    remedy: 'set `formField` to the field in which the sender posts JSON',
  },
  too_deep: {
    label: 'Rejected (invalid JSON)',
    text: 'The arrays and objects of the body are nested too deeply: more than 512 levels.',
    remedy: 'configure the sender to send fewer levels',
  },
} as const satisfies Readonly<Record<string, ReasonWords & { label: 'Rejected (invalid JSON)' }>>;

export type BodyReason = keyof typeof BODY_REASONS;

/** Reasons of other rejections, of duplicates and of backfills, with the label of their entries. */
export const OTHER_REASONS = {
  too_large: {
    label: 'Rejected (too large)',
    text: 'The body is larger than the limit of the daemon (limits.bodyBytes).',
  },
  ...BODY_REASONS,
  summed_up: {
    label: null,
    text: 'This entry counts all rejections of one minute beyond the limit of log entries.',
  },
  delivery_rate: {
    label: 'none',
    text: 'This entry counts the requests of one minute over the delivery rate of the webhook. Senders got 429.',
  },
  same_identity: {
    label: 'Duplicate',
    text: 'A delivery with this ID and this body was accepted before. The sender probably retried it.',
  },
  same_identity_other_body: {
    label: 'Duplicate',
    text: 'A delivery with this ID was accepted before, with another body. The sender used one ID twice, or changed the body of a retry.',
  },
  backfilled: {
    label: 'Accepted',
    text: 'The daemon missed the delivery. A backfill posted it later, with the original signature.',
  },
  backfilled_signed_again: {
    label: 'Accepted',
    text: 'The daemon missed the delivery. A backfill posted it later. The original signature did not fit, so the daemon signed it again.',
  },
} as const;

/** Why a tick of a schedule started no run, although it was accepted. */
const TICK_REASONS = {
  disabled: { text: 'The automation was disabled when its schedule was due. The tick is not caught up.' },
  paused: { text: 'The automation was paused when its schedule was due. The tick is not caught up.' },
} as const;

/**
 * One sentence with what happened and what to do; `null` if the reason does not show the cause.
 *
 * @param places of the credential
 */
export function adviseOn(
  { text, remedy }: ReasonWords,
  detail: string | null,
  places = 'its credential',
): string | null {
  if (remedy === null) return null;
  const what = text.replace(/\.$/, '');
  const joint = what.includes(': ') ? ';' : ':';
  // Entries of earlier versions repeat the reason.
  const isRepeated = detail === null || what.toLowerCase().includes(detail.toLowerCase());
  return `${what}${isRepeated ? '' : ` (${detail})`}${joint} ${remedy.replace('{places}', places)}.`;
}

/** The sentence for a reason of the delivery log. An unknown code, written by another version, stands for itself. */
export function describeDeliveryReason(reason: string): string {
  const words: Readonly<Record<string, { text: string }>> = { ...AUTH_REASONS, ...OTHER_REASONS, ...TICK_REASONS };
  return (Object.hasOwn(words, reason) ? words[reason]?.text : undefined) ?? reason;
}
