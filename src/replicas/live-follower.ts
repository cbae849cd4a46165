import type { Logger } from '../core/ports/logger.ts';
import type { ReplicaTable } from '../core/ports/replicas.ts';
import { TaskQueue } from '../core/time/task-queue.ts';

export interface LiveFollowerParts {
  replicas: Pick<ReplicaTable, 'liveVersions'>;
  /** Makes what the storage has for a factory live. */
  serve(factory: string): Promise<void>;
  /** What this replica serves has changed. */
  onChanged(): void;
  logger: Logger;
}

/** Keeps what this replica serves equal to what the storage has. */
export class LiveFollower {
  readonly #parts: LiveFollowerParts;
  /** The versions of the storage that this replica serves. */
  #served: Record<string, number> = {};
  readonly #checks = new TaskQueue();
  #isCheckWaiting = false;

  constructor(parts: LiveFollowerParts) {
    this.#parts = parts;
  }

  get served(): Readonly<Record<string, number>> {
    return this.#served;
  }

  /** @param versions of the storage, read before this replica loaded what it serves */
  begin(versions: Record<string, number>): void {
    this.#served = { ...versions };
  }

  /** This replica applied a change and serves it. */
  noteOwn(factory: string): void {
    this.#served[factory] = (this.#served[factory] ?? 0) + 1;
    this.#parts.onChanged();
  }

  /** Serves what has changed in the storage. Calls during a check share the next one. */
  check(): Promise<void> {
    if (this.#isCheckWaiting) return this.#checks.whenIdle();
    this.#isCheckWaiting = true;
    return this.#checks.run(async () => {
      this.#isCheckWaiting = false;
      await this.#serveChanged();
    });
  }

  async #serveChanged(): Promise<void> {
    const { replicas, serve, onChanged, logger } = this.#parts;
    const versions = await replicas.liveVersions();
    const changed = Object.keys(versions).filter((factory) => versions[factory] !== this.#served[factory]);
    for (const factory of changed) {
      await serve(factory);
      this.#served[factory] = versions[factory]!;
      logger.info({ factory, version: versions[factory] }, 'definition of another replica live');
    }
    if (changed.length > 0) onChanged();
  }
}
