/** An answer as it lies in the storage. */
export interface KeptAnswer {
  /** Digest of who asked what under which key. */
  key: Uint8Array;
  /**
   * The digest of the body that was sent, and the answer; encrypted: the answer may hold a secret that is shown once, and
   * from a digest in clear a password in the body could be guessed.
   */
  sealed: Uint8Array;
  keptAt: number;
}

/** Answers to requests that were sent with an idempotency key. */
export interface KeptAnswerTable {
  /** `null` where there is none, or it was kept before `since`. */
  find(key: Uint8Array, since: number): Promise<KeptAnswer | null>;
  /** Stores an answer; removes those kept before `since`, and the oldest beyond a bound. */
  keep(answer: KeptAnswer, since: number): Promise<void>;
}

/** Answers that are given again to whoever repeats the request that made them. */
export interface AnswerStore {
  /** `other-body`: the key was used with another body. */
  find(
    key: Uint8Array,
    fingerprint: Uint8Array,
  ): Promise<{ kind: 'none' | 'other-body' } | { kind: 'found'; text: string }>;
  keep(key: Uint8Array, fingerprint: Uint8Array, text: string): Promise<void>;
}
