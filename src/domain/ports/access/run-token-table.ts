import type { RunId } from '../../ids.ts';

/** The attempt that a token of a run belongs to. */
export interface RunTokenHolder {
  run: RunId;
  factory: string;
  attempt: number;
}

/** Tokens of receivers, stored as SHA-256 like `TokenTable`. They are deleted with their run. */
export interface RunTokenTable {
  /** Keeps the `MAX_RUN_TOKENS` most recent tokens of the attempt. */
  insert(token: { run: RunId; attempt: number; hash: Uint8Array }): Promise<void>;
  findByHash(hash: Uint8Array): Promise<RunTokenHolder | null>;
}

/** A daemon sends one token for each attempt; the next daemon sends another one, and the receiver may still use the first. */
export const MAX_RUN_TOKENS = 10;
