import type { Readable } from 'node:stream';
import type { RunId } from '../ids.ts';
import type { LogTime } from './executor.ts';

/** The artifacts of one attempt. */
export interface ArtifactOwner {
  run: RunId;
  attempt: number;
}

/** Part of an artifact that a worker sends. */
export interface ArtifactPart {
  /** Position of the artifact in `result.json`, beginning with 1. */
  number: number;
  /** Size of the whole artifact, in bytes. */
  size: number;
  offset: number;
  bytes: Uint8Array;
}

/** The stored files that runs name in `result.json`. They are removed with the directory of their run. */
export interface RunArtifacts {
  /** The sizes in bytes of the artifacts that are stored completely, by number. */
  sizes(owner: ArtifactOwner): Promise<ReadonlyMap<number, number>>;
  /** `null` if it is not stored. The caller must read or destroy the stream. */
  open(owner: ArtifactOwner, number: number): Promise<{ size: number; content: Readable } | null>;
  /**
   * Stores the next part. A part that was stored before may be repeated. Throws `bad_request` if an earlier part is missing,
   * or over the limits of an attempt.
   */
  store(owner: ArtifactOwner, part: ArtifactPart): Promise<void>;
}

/** Maximum weight of a part: its bytes, and the text of its times. */
export const MAX_PART_BYTES = 262_144;

/**
 * Who writes a part: the executor of an attempt, the worker or receiver that holds it, or the daemon. Each of them counts its
 * output of an attempt separately.
 */
export type LogOrigin = 'executor' | 'holder' | 'daemon';

/** The output of one attempt from one origin. */
export interface LogSource {
  run: RunId;
  attempt: number;
  origin: LogOrigin;
}

/** Output to append to the log of a run. */
export interface NewLogPart extends LogSource {
  /** At least one. */
  bytes: Uint8Array;
  /** The number of bytes of this source that the log must have before; `null` if it does not matter. */
  after: number | null;
  /** The number of bytes of this source that the log has with this part, as the source counts; `null` if it does not count. */
  position: number | null;
  /** When its bytes were written, with offsets in `bytes`. The first one has the offset 0. Empty if that is not known. */
  times: readonly LogTime[];
}

/**
 * `appended`: the part begins at `offset` in the log. `known`: the log had it. `changed`: the log does not have `after` bytes of
 * the source. `closed`: a later attempt has output in the log, or the run was removed.
 */
export type LogAppend = { outcome: 'appended'; offset: number } | { outcome: 'known' | 'changed' | 'closed' };

/** A stored part of a log. */
export interface LogPart {
  /** Position in the log of the run. */
  offset: number;
  size: number;
  /** `null` if an object store has them. */
  bytes: Uint8Array | null;
}

/**
 * The logs of runs in a storage that several daemons share: parts of at most `MAX_PART_BYTES`, without gaps. Small parts are
 * joined.
 */
export interface RunLogParts {
  /** Appends output as one transaction. The first output of a later attempt also stores where the attempt begins. */
  append(part: NewLogPart): Promise<LogAppend>;
  /** The number of bytes of this source that the log has, as the source counts them. */
  received(source: LogSource): Promise<number>;
  /** The size of a log; `null` if it has no parts. */
  size(run: RunId): Promise<number | null>;
  /** The parts with the bytes from `offset` on, in order, until they have `limit` bytes. */
  read(request: { run: RunId; offset: number; limit: number }): Promise<LogPart[]>;
  /** As `RunLogReader.times`. */
  times(request: { run: RunId; offset: number; limit: number }): Promise<LogTime[]>;
  /** At most `limit` parts with bytes that no longer change: large ones, and those of ended runs. */
  complete(limit: number): Promise<{ run: RunId; offset: number; bytes: Uint8Array }[]>;
  /** An object store has the bytes of this part. Nothing changes if the part was joined with another one meanwhile. */
  noteMoved(part: { run: RunId; offset: number; size: number }): Promise<void>;
  /** The size of all logs. */
  totalBytes(): Promise<number>;
  /** The oldest runs that have ended and have a log of more than `minBytes`, with their last attempt in it. */
  oldestEnded(request: { minBytes: number; limit: number }): Promise<{ run: RunId; attempt: number; bytes: number }[]>;
  /** Removes a log. */
  remove(run: RunId): Promise<void>;
  /** Runs that have a log and were removed. */
  orphans(limit: number): Promise<RunId[]>;
}
