import type { SourceFailed, SourceFailure } from '../../domain/ports/sources.ts';
import { MAX_GIT_MEMORY_BYTES } from './git-process.ts';

/** Limits for one read of a source (threat model G3). */
export interface SourceLimits {
  /** Time for all git commands of one `fetch`. */
  fetchTimeoutMs: number;
  /** Maximum number of bytes that one `fetch` writes to the mirror. */
  maxFetchBytes: number;
  /** Maximum address space of one git process of a `fetch`. */
  maxFetchMemoryBytes: number;
  /** Time for reading one tree. */
  readTimeoutMs: number;
  /** Entries in the definition paths of one tree. */
  maxEntries: number;
  /** Maximum size of all files of one tree that are small enough to be read. */
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

/** The result for a source that could not be read; `message` is one sentence without credentials. */
export function failed(reason: SourceFailure, message: string): SourceFailed {
  return { ok: false, reason, message };
}

/** Formats a number of bytes in megabytes, for people. */
export function formatMegabytes(bytes: number): string {
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}
