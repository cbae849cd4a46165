import { messageOf } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { ReplicaTable } from '../../domain/ports/replicas.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { workOnEach } from '../../domain/work-on-each.ts';

export interface LiveFollowerParts {
  replicas: Pick<ReplicaTable, 'liveVersions'>;
  /**
   * Makes live what changed in a factory after the version that this replica serves. Returns the version that is live then: at
   * least the one that the storage had.
   */
  follow(factory: string, versions: { served: number; stored: number }): Promise<number>;
  /** What this replica serves has changed. */
  onChanged(): void;
  logger: Logger;
}

/** Keeps what this replica serves equal to what the storage has. */
export class LiveFollower {
  readonly #parts: LiveFollowerParts;
  /** The versions of the storage that this replica serves. */
  #served: Record<string, number> = {};
  /** Those that the storage had at the last check. */
  #stored: Readonly<Record<string, number>> = {};
  readonly #checks = new TaskQueue();
  #isCheckWaiting = false;

  constructor(parts: LiveFollowerParts) {
    this.#parts = parts;
  }

  get served(): Readonly<Record<string, number>> {
    return this.#served;
  }

  /** The number of changes that this replica does not serve yet. */
  get changesBehind(): number {
    const behind = Object.entries(this.#stored).map(([factory, version]) => version - (this.#served[factory] ?? 0));
    return behind.reduce((sum, changes) => sum + Math.max(0, changes), 0);
  }

  /** @param versions of the storage, read before this replica loaded what it serves */
  begin(versions: Record<string, number>): void {
    this.#served = { ...versions };
  }

  /** This replica applied a change and serves it. If others changed the factory before, the next check serves both. */
  noteOwn(factory: string, version: number | undefined): void {
    if (version !== (this.#served[factory] ?? 0) + 1) return;
    this.#served[factory] = version;
    this.#parts.onChanged();
  }

  /**
   * Serves what has changed in the storage. Calls during a check share the next one. Rejects if a factory cannot be served, after
   * the others were.
   */
  check(): Promise<void> {
    if (this.#isCheckWaiting) return this.#checks.whenIdle();
    this.#isCheckWaiting = true;
    return this.#checks.run(async () => {
      this.#isCheckWaiting = false;
      await this.#serveChanged();
    });
  }

  async #serveChanged(): Promise<void> {
    const { replicas, follow, onChanged, logger } = this.#parts;
    const versions = await replicas.liveVersions();
    this.#stored = versions;
    const changed = Object.entries(versions).filter(([factory, version]) => version !== this.#served[factory]);
    const failures: unknown[] = [];
    const serve = async ([factory, stored]: [string, number]) => {
      const version = await follow(factory, { served: this.#served[factory] ?? 0, stored });
      this.#served[factory] = version;
      logger.info({ factory, version }, 'definition of another replica live');
    };
    await workOnEach(changed, serve, (error, [factory]) => {
      logger.warn({ factory, problem: messageOf(error) }, 'definition of another replica not served');
      failures.push(error);
    });
    if (changed.length > failures.length) onChanged();
    if (failures.length > 0) throw failures[0];
  }
}
