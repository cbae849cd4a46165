import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { FactoryConfig } from '../../config/config.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { suggestFactoryName } from '../../domain/words/names.ts';
import { CONFIG_FILE } from '../connection.ts';

/** The factory of a `dockbell dev`, and how its runs are executed. */
export interface DevRuns {
  factory: string;
  /** The section `runs` of the factory, as `dockbell.yaml` has it. */
  runs: JsonObject;
  /** What executes runs, for the first lines; `null` if runs only print their prompt. */
  shown: string | null;
}

/** `command`: of `--exec`. `isDry`: `--no-exec`. */
export interface RunChoice {
  command: string | null;
  isDry: boolean;
}

/** Without an executor, a run prints its prompt, which is on its standard input. */
const PRINT_PROMPT = ['cat'];

/**
 * Chooses the executor: that of `--exec`, else that of the factory in `dockbell.yaml` of the folder, else one that prints
 * the prompt. Everything else in the file is for `dockbell serve` and is not used.
 */
export async function chooseRuns(dir: string, cwd: string, choice: RunChoice, env: Environment): Promise<DevRuns> {
  const configured = await findFactory(dir, env, choice);
  const factory = configured?.name ?? suggestFactoryName(basename(dir));
  const limits: JsonObject =
    configured === null ? {} : { concurrency: configured.runs.concurrency, retry: configured.runs.retry };
  const { command, isDry } = choice;
  if (command !== null) {
    return { factory, runs: { ...limits, executor: executeInShell(command, cwd) }, shown: command };
  }
  const executor = isDry ? null : (configured?.runs.executor ?? null);
  if (executor === null) return { factory, runs: { executor: printPrompt() }, shown: null };
  const { timeoutMs, ...settings } = executor;
  return {
    factory,
    runs: { ...limits, executor: toFileForm(settings, timeoutMs) },
    shown: executor.type === 'command' ? `${executor.command.join(' ')} (${CONFIG_FILE})` : `workers (${CONFIG_FILE})`,
  };
}

function printPrompt(): JsonObject {
  return { type: 'command', command: PRINT_PROMPT };
}

/** Each run starts in a new folder, so the command gets the folder in which `dockbell dev` was started. */
function executeInShell(command: string, cwd: string): JsonObject {
  return { type: 'command', command: ['/bin/sh', '-c', `DEV_DIR=$0; export DEV_DIR\n${command}`, cwd] };
}

type ExecutorSettings = Omit<NonNullable<FactoryConfig['runs']['executor']>, 'timeoutMs'>;

/** Durations in the file have a unit. The user of the runs is the one of `dockbell dev`. */
function toFileForm(settings: ExecutorSettings, timeoutMs: number): JsonObject {
  const { user: _, leaseMs, ...rest } = settings as ExecutorSettings & { user?: unknown; leaseMs?: number };
  return {
    ...(rest as unknown as JsonObject),
    ...(leaseMs === undefined ? {} : { lease: `${leaseMs}ms` }),
    timeout: `${timeoutMs}ms`,
  };
}

/**
 * The factory of this folder in its `dockbell.yaml`; `null` without the file or the factory. Throws `config_invalid` only if
 * the executor of the file is wanted.
 */
async function findFactory(
  dir: string,
  env: Environment,
  { command, isDry }: RunChoice,
): Promise<FactoryConfig | null> {
  const file = join(dir, CONFIG_FILE);
  if (!existsSync(file)) return null;
  const config = await loadConfig({ file, env }).catch((error: unknown) => {
    if (command === null && !isDry) throw error;
    return null;
  });
  const factories = config?.factories ?? [];
  const isHere = ({ source }: FactoryConfig) =>
    source.type === 'repository' && resolve(dir, source.url, source.path) === dir;
  return factories.find(isHere) ?? (factories.length === 1 ? factories[0]! : null);
}
