import type { Executor } from '../../domain/ports/runs/executor.ts';
import { COMMAND_KIND } from './command/command-kind.ts';
import { CONTAINER_KIND } from './container/container-kind.ts';
import type { ExecutorKind, ExecutorParts, SettingProblem } from './executor-kind.ts';
import { HTTP_KIND } from './http/http-kind.ts';
import { QUEUE_KIND } from './queue-kind.ts';

/**
 * The executors, by the `type` that names them in the configuration. The values and options of `runs.executor`, the
 * recovery after a crash and the documentation follow from this table.
 */
export const EXECUTORS = {
  command: COMMAND_KIND,
  queue: QUEUE_KIND,
  http: HTTP_KIND,
  container: CONTAINER_KIND,
} as const;

type Executors = typeof EXECUTORS;
export type ExecutorName = keyof Executors;
type SettingsOf<Kind> = Kind extends { create: (settings: infer Settings, parts: ExecutorParts) => unknown }
  ? Settings
  : object;

/** The executor of one factory as the configuration names it. */
export type ExecutorConfig = {
  [Name in ExecutorName]: { readonly type: Name } & SettingsOf<Executors[Name]>;
}[ExecutorName];

export const EXECUTOR_NAMES = Object.keys(EXECUTORS) as ExecutorName[];

/** The executors that start processes: after a crash, the daemon on that machine has to recover their runs. */
export const LOCAL_EXECUTORS: readonly string[] = EXECUTOR_NAMES.filter((name) => EXECUTORS[name].place === 'machine');

/** The executors that send runs elsewhere and follow them there: one daemon does that for all. */
export const LED_EXECUTORS: readonly string[] = EXECUTOR_NAMES.filter((name) => EXECUTORS[name].place === 'receiver');

type UnionToIntersection<Union> = (Union extends unknown ? (item: Union) => void : never) extends (
  item: infer Intersection,
) => void
  ? Intersection
  : never;

/** The options of all executors, as rows of the table of options. */
export const EXECUTOR_OPTIONS = Object.assign(
  {},
  ...Object.values(EXECUTORS).map(({ options }) => options),
) as UnionToIntersection<Executors[ExecutorName]['options']>;

/** Creates the executor of one factory. Resolves with `null` if workers claim its runs. Throws `config_invalid`. */
export async function createExecutor(config: ExecutorConfig, parts: ExecutorParts): Promise<Executor | null> {
  const { create } = EXECUTORS[config.type] as ExecutorKind<ExecutorConfig>;
  return create === null ? null : create(config, parts);
}

/** Checks what the table of options cannot say; `null` if the settings can be used. */
export async function checkExecutor(config: ExecutorConfig): Promise<SettingProblem | null> {
  const { check } = EXECUTORS[config.type] as ExecutorKind<ExecutorConfig>;
  return check === undefined ? null : check(config);
}
