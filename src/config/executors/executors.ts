import { COMMAND_KIND, type CommandSettings } from './command-kind.ts';
import { CONTAINER_KIND, type ContainerSettings } from './container-kind.ts';
import type { ExecutorKind, SettingProblem } from './executor-kind.ts';
import { HTTP_KIND, type HttpSettings } from './http-kind.ts';
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

/** What the configuration of a factory says about its executor. */
interface SettingsOf {
  command: CommandSettings;
  queue: object;
  http: HttpSettings;
  container: ContainerSettings;
}

/** The executor of one factory as the configuration names it. */
export type ExecutorConfig = {
  [Name in ExecutorName]: { readonly type: Name } & SettingsOf[Name];
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

/** Checks what the table of options cannot say; `null` if the settings can be used. */
export function checkExecutor(config: ExecutorConfig): SettingProblem | null {
  const { check } = EXECUTORS[config.type] as ExecutorKind<ExecutorConfig>;
  return check === undefined ? null : check(config);
}
