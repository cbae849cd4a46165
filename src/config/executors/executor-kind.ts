/** A setting that is invalid together with another one. */
export interface SettingProblem {
  /** Key below `runs.executor`. */
  key: string;
  /** Completes the sentence that begins with the key. */
  problem: string;
}

/** One row of the table of executors: what the configuration says about it. `runs/executors/create-executor.ts` creates it. */
export interface ExecutorKind<Settings> {
  /** What the executor does, one sentence that starts with its type, for the documentation. */
  summary: string;
  /** Where runs are executed: on the machine of the daemon, by a receiver that the daemon calls, or by workers that call it. */
  place: 'machine' | 'receiver' | 'worker';
  /** Rows of the table of options that only this executor has. The last part of each key is the key of its setting. */
  options: Readonly<Record<`factories[].runs.executor.${string}`, object>>;
  /** Checks what the table of options cannot say. Default: nothing. */
  check?: (settings: Settings) => SettingProblem | null;
}
