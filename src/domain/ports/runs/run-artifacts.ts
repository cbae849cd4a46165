import type { Readable } from 'node:stream';
import type { RunId } from '../../ids.ts';

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
