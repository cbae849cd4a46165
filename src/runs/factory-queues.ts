import type { RunId } from '../domain/ids.ts';
import type { Run } from '../domain/resources/run.ts';
import type { FactoryQueue } from './factory-queue.ts';

/** The queues of all factories whose runs this daemon executes, or has executed since its start. */
export class FactoryQueues {
  readonly #byFactory = new Map<string, FactoryQueue>();

  add(factory: string, queue: FactoryQueue): void {
    this.#byFactory.set(factory, queue);
  }

  of(factory: string): FactoryQueue | undefined {
    return this.#byFactory.get(factory);
  }

  factories(): string[] {
    return [...this.#byFactory.keys()];
  }

  all(): FactoryQueue[] {
    return [...this.#byFactory.values()];
  }

  /** The queue that executes this run, if one of them does. */
  executing(id: RunId): FactoryQueue | undefined {
    return this.all().find((queue) => queue.holds(id));
  }

  /** Number of runs that are executed now. */
  countExecuting(): number {
    return this.all().reduce((total, queue) => total + queue.countExecuting(), 0);
  }

  /** As `FactoryQueue.acceptEarly`, if a queue executes the run. */
  async acceptEarly({ id, factory }: Run): Promise<void> {
    await this.of(factory)?.acceptEarly(id);
  }
}
