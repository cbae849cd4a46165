import type { EventEmitter } from 'node:events';
import type { RunId } from '../domain/ids.ts';
import type { Admitted } from '../domain/ports/run-queue.ts';

/**
 * What the parts of a dispatcher report to it. They are created before it listens, and report nothing until it starts, so that
 * no part needs another one that does not exist yet.
 */
export type RunEvents = EventEmitter<{
  /** The state of the run changed, and the change is on disk. */
  changed: [run: RunId];
  /** A run is queued again, or another one can start. */
  startable: [factory: string];
  /** A claim applied the policies of new runs to other runs. */
  admitted: [admitted: Admitted];
  /** No further run starts. */
  drained: [];
  /** Runs start again. */
  resumed: [];
}>;
