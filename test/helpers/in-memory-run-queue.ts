import type { RunId } from '../../src/core/ids.ts';
import type { RunQueue, RunReader } from '../../src/core/ports/run-queue.ts';
import type { Run, RunInput } from '../../src/core/run.ts';

/** A queue of runs in memory, with the promises of the port and a way to break it. */
export class InMemoryRunQueue implements RunQueue, Pick<RunReader, 'get'> {
  readonly inputs = new Map<RunId, RunInput>();
  /** Called before every operation; throw in it to make the operation fail. */
  before: (operation: keyof RunQueue) => void | Promise<void> = () => undefined;

  add(input: RunInput): void {
    this.inputs.set(input.run.id, input);
  }

  run(id: RunId): Run {
    return this.inputs.get(id)!.run;
  }

  states(): string[] {
    return [...this.inputs.values()].map(({ run }) => run.state);
  }

  async claim(request: Parameters<RunQueue['claim']>[0]): Promise<RunInput[]> {
    await this.before('claim');
    const queued = [...this.inputs.values()].filter(
      ({ run }) => run.state === 'queued' && run.factory === request.factory && !request.except?.includes(run.id),
    );
    return queued.slice(0, request.limit).map((input) => {
      const change = { state: 'running', executor: request.executor, startedAt: request.at } as const;
      return { ...input, run: this.#change(input.run.id, change) };
    });
  }

  async finish({ id, attempt, result, at }: Parameters<RunQueue['finish']>[0]): Promise<boolean> {
    await this.before('finish');
    if (!this.#isRunning(id, attempt)) return false;
    this.#change(id, { ...result, finishedAt: at });
    return true;
  }

  async release({ id, attempt, nextAttempt }: Parameters<RunQueue['release']>[0]): Promise<boolean> {
    await this.before('release');
    if (!this.#isRunning(id, attempt)) return false;
    this.#change(id, { state: 'queued', attempt: nextAttempt, startedAt: null });
    return true;
  }

  async cancelQueued({ id, at }: Parameters<RunQueue['cancelQueued']>[0]): Promise<boolean> {
    await this.before('cancelQueued');
    if (this.inputs.get(id)?.run.state !== 'queued') return false;
    this.#change(id, { state: 'cancelled', error: 'cancelled', finishedAt: at });
    return true;
  }

  async retry(id: RunId): ReturnType<RunQueue['retry']> {
    await this.before('retry');
    const run = this.inputs.get(id)?.run;
    if (run === undefined) return 'not_found';
    if (run.state === 'queued' || run.state === 'running') return 'unfinished';
    const emptied = { executor: null, error: null, exitCode: null, startedAt: null, finishedAt: null };
    this.#change(id, { state: 'queued', attempt: run.attempt + 1, ...emptied });
    return 'queued';
  }

  async running(executor: string): Promise<Run[]> {
    await this.before('running');
    const runs = [...this.inputs.values()].map(({ run }) => run);
    return runs.filter((run) => run.state === 'running' && run.executor === executor);
  }

  async get(id: RunId): Promise<Run | null> {
    return this.inputs.get(id)?.run ?? null;
  }

  #isRunning(id: RunId, attempt: number): boolean {
    const run = this.inputs.get(id)?.run;
    return run?.state === 'running' && run.attempt === attempt;
  }

  #change(id: RunId, change: Partial<Run>): Run {
    const input = this.inputs.get(id)!;
    const run = { ...input.run, ...change };
    this.inputs.set(id, { ...input, run });
    return run;
  }
}
