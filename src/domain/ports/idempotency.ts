/** A stored response. */
export interface KeptAnswer {
  /** Digest of the caller, the request and the idempotency key. */
  key: Uint8Array;
  /**
   * The response and the digest of the request body, encrypted. The response may hold a secret that is shown only once,
   * and a plain digest would allow guessing a password in the body. Without a response, the request made its change but was
   * not answered.
   */
  sealed: Uint8Array;
  keptAt: number;
}

/** A key whose request makes its change now. */
export interface ReservedKey {
  /** Has no response yet. */
  answer: KeptAnswer;
  /** Reservations and responses from before this time do not count. */
  since: number;
}

/** Responses to requests that were sent with an idempotency key. The key is stored in the transaction of the change. */
export interface KeptAnswerTable {
  /** `null` if none exists or it was stored before `since`. */
  find(key: Uint8Array, since: number): Promise<KeptAnswer | null>;
  /** Stores a response. Removes responses stored before `since`, and the oldest ones if the table has too many. */
  keep(answer: KeptAnswer, since: number): Promise<void>;
  /** Frees the key. */
  forget(key: Uint8Array): Promise<void>;
}

/** Responses that are returned again when a request is repeated. */
export interface AnswerStore {
  /** `other-body`: the key was used with another body. `lost`: the request made its change, but its response was not stored. */
  find(
    key: Uint8Array,
    fingerprint: Uint8Array,
  ): Promise<{ kind: 'none' } | { kind: 'other-body' } | { kind: 'lost' } | { kind: 'found'; text: string }>;
  /** For the transaction of the change. */
  reserve(key: Uint8Array, fingerprint: Uint8Array): ReservedKey;
  keep(key: Uint8Array, fingerprint: Uint8Array, text: string): Promise<void>;
  /** The request changed nothing, so it may be repeated. */
  forget(key: Uint8Array): Promise<void>;
}
