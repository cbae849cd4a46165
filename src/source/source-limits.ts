import type { SourceFailed, SourceFailure } from '../core/ports/definitions/definition-source.ts';
import { MAX_GIT_MEMORY_BYTES } from './git-process.ts';

/** What one look at a source may cost at most (threat model G3). */
export interface SourceLimits {
  /** Time for one `fetch`, all its git commands together. */
  fetchTimeoutMs: number;
  /** Bytes that one `fetch` may write to the mirror. */
  maxFetchBytes: number;
  /** Address space that one git process of a `fetch` may take. */
  maxFetchMemoryBytes: number;
  /** Time for reading one tree. */
  readTimeoutMs: number;
  /** Entries in the definition paths of one tree. */
  maxEntries: number;
  /** Bytes of all files of one tree that are small enough to be read. */
  maxTreeBytes: number;
}

export const DEFAULT_LIMITS: SourceLimits = Object.freeze({
  fetchTimeoutMs: 60_000,
  maxFetchBytes: 100_000_000,
  maxFetchMemoryBytes: MAX_GIT_MEMORY_BYTES,
  readTimeoutMs: 30_000,
  maxEntries: 20_000,
  maxTreeBytes: 64_000_000,
});

/** Builds the value for a source that could not be read; `message` is one readable sentence without credentials. */
export function failed(reason: SourceFailure, message: string): SourceFailed {
  return { ok: false, reason, message };
}

/** A number of bytes as a person reads it, in megabytes. */
export function formatMegabytes(bytes: number): string {
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}
