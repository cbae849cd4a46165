import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentFileContent } from '../../src/domain/definitions/agent-files.ts';
import { createIdSource, type RunId } from '../../src/domain/ids.ts';
import type { Accepted, Executor, NotStarted, StopOrder } from '../../src/domain/ports/executor.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import type { Run, RunInput, RunResult } from '../../src/domain/resources/run.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createRedactingTransform } from '../../src/platform/secrets/redactor.ts';
import { renderRunDocuments } from '../../src/runs/envelope.ts';
import {
  type CommandExecutorOptions,
  createCommandExecutor,
} from '../../src/runs/executors/command/command-executor.ts';
import { appendAttempts } from '../../src/runs/executors/log/open-run-log.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import { readRunContext } from '../../src/runs/read-context.ts';

const ids = createIdSource((size) => crypto.getRandomValues(new Uint8Array(size)));

export const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

export function newRunId(): RunId {
  return ids.runId(Date.now());
}

/** A run as a claim returns it. `changes` override the defaults. */
export function makeRunInput(changes: { run?: Partial<Run> } & Partial<Omit<RunInput, 'run'>> = {}): RunInput {
  const webhook = changes.webhook ?? { name: 'internal-ci', uid: 'wh_0123456789abcdefghjkmnpqrs' };
  const run: Run = {
    id: newRunId(),
    factory: 'payments',
    automation: 'build',
    delivery: 'dlv_01arz3ndektsv4rrffq69g5fav',
    webhookUid: webhook.uid,
    deliveryIdentity: 'event-1',
    state: 'running',
    attempt: 1,
    executor: 'command',
    revision: 'a'.repeat(40),
    error: null,
    exitCode: null,
    createdAt: 1_700_000_000_000,
    startedAt: 1_700_000_000_500,
    finishedAt: null,
    output: null,
    gate: null,
    concurrencyKey: null,
    runsOn: null,
    supersededBy: null,
    notBefore: null,
    traceContext: null,
    ...changes.run,
  };
  return {
    prompt: 'Fix the build.\n',
    agent: null,
    overrides: {},
    workspace: null,
    event: null,
    origin: { webhook: { serves: null, signatureScheme: null }, headers: {}, filters: [] },
    standsFor: { count: 0, deliveries: [] },
    queuedAt: run.createdAt,
    payload: Buffer.from('{"a":1}'),
    ...changes,
    webhook,
    run,
  };
}

/** Folders of one test and an executor that uses them. */
export interface Workshop {
  dir: string;
  runsDir: string;
  logsDir: string;
  executor(command: readonly string[], options?: Partial<CommandExecutorOptions>): Executor;
  log(run: RunId): Promise<string>;
  close(): Promise<void>;
}

export async function openWorkshop(): Promise<Workshop> {
  const dir = await mkdtemp(join(tmpdir(), 'dockbell-runs-'));
  const runsDir = join(dir, 'runs');
  const logsDir = join(dir, 'logs');
  const startRecords = createStartRecords(join(dir, 'tickets'));
  return {
    dir,
    runsDir,
    logsDir,
    executor: (command, options = {}) =>
      createCommandExecutor({
        command,
        timeoutMs: 20_000,
        runsDir,
        openOutput: appendAttempts(logsDir, options.clock ?? systemClock),
        startRecords,
        searchPath: SEARCH_PATH,
        maskOutput: createRedactingTransform,
        checkOut: async () => ({ ok: true, dir: null }),
        clock: systemClock,
        logger: silentLogger,
        ...options,
      }),
    log: (run) => readFile(join(logsDir, `${run}.log`), 'utf8'),
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Executes one attempt, as the dispatcher does. Throws if it could not start. */
export async function execute(...attempt: Parameters<typeof tryToExecute>): Promise<RunResult> {
  const outcome = await tryToExecute(...attempt);
  if (outcome.state === 'not_started') throw new Error(`not started: ${outcome.problem}`);
  if (outcome.state === 'accepted') throw new Error('accepted, without a result');
  return outcome;
}

/** Executes one attempt, or returns why it could not start. */
export function tryToExecute(
  executor: Executor,
  input: RunInput,
  options: { secrets?: Record<string, string>; signal?: AbortSignal; agentFiles?: readonly AgentFileContent[] } = {},
): Promise<RunResult | NotStarted | Accepted> {
  const secrets = new Map(Object.entries(options.secrets ?? {}).map(([name, text]) => [name, new SecretValue(text)]));
  const context = readRunContext(input);
  const signal = options.signal ?? new AbortController().signal;
  return executor.execute({
    input,
    documents: renderRunDocuments(input, context),
    context,
    secrets,
    readAgentFiles: async () => options.agentFiles ?? [],
    signal,
    onStarted: () => undefined,
  });
}

export function orderStop(controller: AbortController, order: StopOrder): void {
  controller.abort(order);
}

export const silentLogger: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};

/** Waits until the condition is true. Fails the test with its description after ten seconds. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`timed out while waiting until ${what}`);
    await wait(10);
  }
}

/** Whether a process with that number exists that is not a zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
