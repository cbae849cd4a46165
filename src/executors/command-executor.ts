import { open } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Transform } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { AppError, messageOf } from '../core/errors.ts';
import type { ExecutionRequest, Executor, StopOrder, TicketOffice } from '../core/ports/executor.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { RunResult } from '../core/run.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { makeFolder } from '../files/make-folder.ts';
import { systemErrorCode } from './file-error.ts';
import { endLeftovers } from './leftovers.ts';
import { LOG_LIMIT_BYTES } from './log-sink.ts';
import { captureOutput, type OutputCapture } from './output-capture.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';
import { prepareRunDirectory, type RunDirectory } from './run-directory.ts';
import { buildRunEnvironment, type ChildEnvironment } from './run-environment.ts';
import { removeTree } from './run-files.ts';
import { renderAttemptMark } from './run-log.ts';
import { runLogFile } from './run-paths.ts';
import { type Supervised, supervise } from './supervise.ts';

export interface CommandExecutorOptions {
  /** Argument vector, never a shell string. The first is an absolute path, or a name that is looked up on `path`. */
  command: readonly string[];
  timeoutMs: number;
  /** Holds a folder for each run. */
  runsDir: string;
  /** Holds a file for each run. */
  logsDir: string;
  tickets: TicketOffice;
  /** `PATH` of the command. */
  path: string;
  /** A stream that masks these values wherever they stand in what goes through it. */
  maskOutput: (values: Iterable<SecretValue>) => Transform;
  /** Of the log of one attempt, with all that the daemon adds to it. */
  logLimitBytes?: number;
  /** Between SIGTERM and SIGKILL. */
  killGraceMs?: number;
  /** How long processes that outlive the command may go on before they are ended. */
  lingerMs?: number;
  clock: Clock;
  logger?: Logger;
}

type Settings = Required<Omit<CommandExecutorOptions, 'logger'>> & { logger: Logger | null };

const DEFAULTS = { logLimitBytes: LOG_LIMIT_BYTES, killGraceMs: 10_000, lingerMs: 1000 };

/**
 * Executor `command`: one process group for each attempt, in a directory of its own, with an environment built from
 * nothing (interfaces, "A run's directory and environment"). Throws `config_invalid` for a command that cannot be one.
 */
export function createCommandExecutor(options: CommandExecutorOptions): Executor {
  const settings: Settings = {
    ...DEFAULTS,
    ...options,
    command: checkCommand(options.command),
    runsDir: resolve(options.runsDir),
    logsDir: resolve(options.logsDir),
    logger: options.logger ?? null,
  };
  return {
    type: 'command',
    execute: (request) => execute(request, settings),
    wasStarted: (run, attempt) => settings.tickets.exists(run, attempt),
    endLeftovers: (run) => endLeftovers(run, settings.lingerMs),
  };
}

function checkCommand(command: readonly string[]): readonly string[] {
  const [file] = command;
  if (file === undefined || file === '') {
    throw new AppError('config_invalid', 'the command of executor `command` is empty; name the program to run');
  }
  if (file.includes('/') && !isAbsolute(file)) {
    throw new AppError(
      'config_invalid',
      `the command ${file} is a relative path; a run starts in a directory of its own`,
    );
  }
  return command;
}

async function execute(request: ExecutionRequest, settings: Settings): Promise<RunResult> {
  const { run } = request.input;
  try {
    if (request.signal.aborted) return describeStop(request.signal);
    // From here on the attempt counts as started (threat model D7): a crash before the command really starts costs one
    // run that a person can repeat, where the other order could start one twice.
    if (!(await settings.tickets.take(run.id, run.attempt))) return failed('interrupted');
    return await executeInDirectory(request, settings);
  } catch (error) {
    if (error instanceof AppError) return failed(error.message);
    return failed(`the run could not be prepared: ${messageOf(error)}`);
  }
}

async function executeInDirectory(request: ExecutionRequest, settings: Settings): Promise<RunResult> {
  const directory = await prepareRunDirectory(settings.runsDir, request);
  try {
    const built = buildRunEnvironment(request.input, directory, settings.path, request.secrets);
    if (!built.ok) return failed(built.error);
    return await runCaptured(request, directory, built.environment, settings);
  } finally {
    await removeTree(directory.temporary).catch((error) =>
      settings.logger?.warn({ err: error, run: request.input.run.id }, "a run's temporary files stay behind"),
    );
  }
}

async function runCaptured(
  request: ExecutionRequest,
  directory: RunDirectory,
  environment: ChildEnvironment,
  settings: Settings,
): Promise<RunResult> {
  const capture = await openCapture(request, directory, settings);
  try {
    const group = await startCommand(directory, environment, capture.writeEnd, settings);
    capture.releaseWriteEnd();
    return describeEnd(await supervise(group, request.signal, settings));
  } finally {
    capture.releaseWriteEnd();
    await capture.finish();
  }
}

async function openCapture(
  { input, secrets }: ExecutionRequest,
  directory: RunDirectory,
  settings: Settings,
): Promise<OutputCapture> {
  const { run } = input;
  await makeFolder(settings.logsDir, { mode: 0o700 });
  return captureOutput({
    pipePath: directory.outputPipe,
    searchPath: settings.path,
    logFile: runLogFile(settings.logsDir, run.id),
    header: renderAttemptMark(run, settings.clock),
    limitBytes: settings.logLimitBytes,
    mask: settings.maskOutput(secrets.values()),
    onFailure: (error) => settings.logger?.warn({ err: error, run: run.id }, "a run's log is not complete"),
  });
}

async function startCommand(
  directory: RunDirectory,
  environment: ChildEnvironment,
  output: number,
  { command }: Settings,
): Promise<ProcessGroup> {
  // The file itself, not a pipe: a command that never reads its input leaves nobody waiting.
  const prompt = await open(directory.prompt, 'r');
  try {
    return await startProcessGroup({ command, cwd: directory.work, environment, input: prompt.fd, output });
  } catch (error) {
    throw new AppError('internal', describeStartFailure(error, command[0]!), { cause: error });
  } finally {
    await prompt.close();
  }
}

function describeStartFailure(error: unknown, file: string): string {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') {
    return `cannot start ${file}: there is no such program, or the one that its first line names is missing`;
  }
  if (code === 'EACCES') return `cannot start ${file}: it is not executable for the daemon's user; use chmod +x`;
  if (code === 'E2BIG') return `cannot start ${file}: the secrets of the run are too long for an environment`;
  return `cannot start ${file}: ${messageOf(error)}`;
}

/** How the end of a command reads as the result of a run. */
function describeEnd({ exit, stoppedBy }: Supervised): RunResult {
  if (stoppedBy === 'cancelled') return { state: 'cancelled', error: 'cancelled', exitCode: exit.code };
  if (stoppedBy === 'timeout') return failed('timeout', exit.code);
  if (exit.code === 0) return { state: 'succeeded', error: null, exitCode: 0 };
  if (stoppedBy === 'interrupted') return failed('interrupted', exit.code);
  return failed(exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`, exit.code);
}

/** The result of an attempt that was told to stop before it started. */
function describeStop(signal: AbortSignal): RunResult {
  const order: StopOrder = signal.reason;
  if (order.cause === 'interrupted') return failed('interrupted');
  return { state: 'cancelled', error: 'cancelled', exitCode: null };
}

function failed(error: string, exitCode: number | null = null): RunResult {
  return { state: 'failed', error, exitCode };
}
