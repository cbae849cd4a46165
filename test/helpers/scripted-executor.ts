import type { RunId } from '../../src/domain/ids.ts';
import type { ExecutionRequest, Executor, StopOrder } from '../../src/domain/ports/executor.ts';
import type { RunResult } from '../../src/domain/resources/run.ts';

const SUCCEEDED: RunResult = { state: 'succeeded', error: null, exitCode: 0 };

/** An executor whose attempts run until the test ends them. A stopped attempt ends immediately. */
export class ScriptedExecutor implements Executor {
  readonly type = 'command';
  /** All requests in the order of their start. */
  readonly requests: ExecutionRequest[] = [];
  readonly startRecords = new Set<RunId>();
  highest = 0;
  /** Where the output of the next attempt begins. */
  logOffset = 12;
  #open = new Map<RunId, (result: RunResult) => void>();

  get running(): number {
    return this.#open.size;
  }

  execute(request: ExecutionRequest): Promise<RunResult> {
    this.requests.push(request);
    const { id } = request.input.run;
    this.startRecords.add(id);
    request.onStarted(this.logOffset);
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.highest = Math.max(this.highest, this.#open.size);
      request.signal.addEventListener('abort', () => this.end(id, stopped(request.signal.reason)));
    });
  }

  async wasStarted(run: RunId): Promise<boolean> {
    return this.startRecords.has(run);
  }

  endLeftovers: Executor['endLeftovers'] = async () => undefined;

  end(id: RunId, result: RunResult = SUCCEEDED): void {
    this.#open.get(id)?.(result);
    this.#open.delete(id);
  }

  endAll(): void {
    for (const id of [...this.#open.keys()]) this.end(id);
  }
}

function stopped({ cause }: StopOrder): RunResult {
  return { state: cause === 'cancelled' ? 'cancelled' : 'failed', error: cause, exitCode: null };
}
