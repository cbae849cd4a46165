interface UnloggedWords {
  /** What the sender received; `null` for no answer. */
  status: number | null;
  /** Why the request has no entry in the delivery log, as one or two sentences. */
  text: string;
}

interface UnloggedRow extends UnloggedWords {
  /** What `dockbell_ingress_refusals_total` calls the reason, as in 0.1.0; `null` if the counter omits it. */
  rejection: string | null;
}

/**
 * Why a request to a known webhook has no separate entry in the delivery log. Such requests are only counted. A published
 * code is never used for something else.
 */
export const UNLOGGED_REASONS = {
  disabled: {
    status: 404,
    rejection: 'not_found',
    text: 'The webhook was disabled.',
  },
  deleted: {
    status: 404,
    rejection: 'not_found',
    text: 'The webhook was deleted.',
  },
  not_configured: {
    status: 404,
    rejection: 'not_found',
    text: 'The configuration does not name the factory of the webhook.',
  },
  unexpected_path: {
    status: 404,
    rejection: 'not_found',
    text: 'The path is not exactly that of the webhook. It ends with a slash, or has a token although the mode is not url_token.',
  },
  method_not_allowed: {
    status: 405,
    rejection: 'method_not_allowed',
    text: 'The request had another method than POST.',
  },
  delivery_rate: {
    status: 429,
    rejection: 'delivery_rate',
    text: 'More deliveries arrived than the webhook accepts in a minute (limits.deliveriesPerMinute; limits.providerDeliveriesPerMinute if it serves a provider).',
  },
  failed_auth_rate: {
    status: 429,
    rejection: 'failed_auth_rate',
    text: 'Too many requests of this client failed to authenticate within a minute (limits.failedAuthPerMinute).',
  },
  overloaded: {
    status: 503,
    rejection: 'overloaded',
    text: 'The bodies of all open requests together were too large.',
  },
  storage: {
    status: 503,
    rejection: 'storage',
    text: 'The delivery could not be stored. The log of the daemon has the cause.',
  },
  secret_unreadable: {
    status: 503,
    rejection: 'storage',
    text: 'The stored secret of the webhook could not be read.',
  },
  key_unavailable: {
    status: 503,
    rejection: 'storage',
    text: 'The public key of the provider could not be fetched.',
  },
  internal: {
    status: 503,
    rejection: 'internal',
    text: 'Dockbell has a defect. The log of the daemon has the stack.',
  },
  incomplete_body: {
    status: null,
    rejection: null,
    text: 'The connection ended before the whole body arrived: the sender disconnected, or was too slow.',
  },
  malformed_request: {
    status: 400,
    rejection: null,
    text: 'The request had more than one Host field, or an unknown transfer coding (501).',
  },
  row_not_stored: {
    status: null,
    rejection: null,
    text: 'The request was rejected with 400, 401 or 413, but its entry could not be stored.',
  },
} as const satisfies Readonly<Record<string, UnloggedRow>>;

export type UnloggedReason = keyof typeof UNLOGGED_REASONS;

/** The words for a code. An unknown code, written by another version, stands for itself. */
export function describeUnlogged(reason: string): UnloggedWords {
  const words: Readonly<Record<string, UnloggedWords>> = UNLOGGED_REASONS;
  return (Object.hasOwn(words, reason) ? words[reason] : undefined) ?? { status: null, text: reason };
}
