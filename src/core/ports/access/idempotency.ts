/** A stored response. */
export interface KeptAnswer {
  /** Digest of the caller, the request and the idempotency key. */
  key: Uint8Array;
  /**
   * The response and the digest of the request body, encrypted. The response may hold a secret that is shown only once,
   * and a plain digest would allow guessing a password in the body.
   */
  sealed: Uint8Array;
  keptAt: number;
}

/** Responses to requests that were sent with an idempotency key. */
export interface KeptAnswerTable {
  /** `null` if none exists or it was stored before `since`. */
  find(key: Uint8Array, since: number): Promise<KeptAnswer | null>;
  /** Stores a response. Removes responses stored before `since`, and the oldest ones if the table has too many. */
  keep(answer: KeptAnswer, since: number): Promise<void>;
}

/** Responses that are returned again when a request is repeated. */
export interface AnswerStore {
  /** `other-body`: the key was used with another body. */
  find(
    key: Uint8Array,
    fingerprint: Uint8Array,
  ): Promise<{ kind: 'none' | 'other-body' } | { kind: 'found'; text: string }>;
  keep(key: Uint8Array, fingerprint: Uint8Array, text: string): Promise<void>;
}
