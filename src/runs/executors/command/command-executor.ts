// A command for each attempt, or the client of a container engine (`program.ts`). In: an `ExecutionRequest`. Out: the end of a
// process group. In order: `run-directory.ts`, `run-environment.ts`, `output-capture.ts`, the start record,
// `start-process.ts`, `supervise.ts`, `leftovers.ts`, `runs/executors/files/read-run-output.ts`.

import { isAbsolute, join, resolve } from 'node:path';
import { AppError, messageOf, systemErrorCode } from '../../../domain/errors.ts';
import type { ExecutionRequest, Executor, NotStarted, StartRecords } from '../../../domain/ports/executor.ts';
import type { RunResult } from '../../../domain/resources/run.ts';
import { describeStop, failed, notStarted } from '../attempt-results.ts';
import type { ExecutorParts } from '../executor-parts.ts';
import { keepArtifacts } from '../files/keep-artifacts.ts';
import { readRunOutput } from '../files/read-run-output.ts';
import { removeAttemptTree } from '../files/remove-run-folder.ts';
import { artifactsFolder, payloadFile } from '../files/run-paths.ts';
import { LOG_LIMIT_BYTES } from '../log/log-sink.ts';
import { renderAttemptMark } from '../log/run-log.ts';
import { NO_WATCHDOG } from '../watchdog/run-watchdog.ts';
import { endLeftovers } from './leftovers.ts';
import { captureOutput, type OutputCapture } from './output-capture.ts';
import { markProcesses } from './process-mark.ts';
import type { Program, ProgramStart } from './program.ts';
import { prepareRunDirectory, type RunDirectory } from './run-directory.ts';
import { buildRunEnvironment } from './run-environment.ts';
import type { RunUser } from './run-user.ts';
import { type ProcessGroup, startProcessGroup } from './start-process.ts';
import { type Supervised, supervise } from './supervise.ts';

export interface ProcessExecutorOptions
  extends Omit<ExecutorParts, 'factory' | 'secrets' | 'signWebhook' | 'openReports'> {
  /** User that starts the runs. Default: the user of the daemon. */
  user?: RunUser | null;
  /** Size limit of the log of one attempt, including the lines that the daemon adds. */
  logLimitBytes?: number;
  /** Time between SIGTERM and SIGKILL. */
  killGraceMs?: number;
  /** Time after which processes that outlive the command are ended. */
  lingerMs?: number;
  /** The text before the output of an attempt. Default: a line before each later attempt. */
  renderMark?: typeof renderAttemptMark;
}

export interface CommandExecutorOptions extends ProcessExecutorOptions {
  /** Argument vector, never a shell string. The first is an absolute path, or a name that is looked up on `searchPath`. */
  command: readonly string[];
}

type Settings = Required<ProcessExecutorOptions> & { program: Program };

const DEFAULTS = {
  watchdog: NO_WATCHDOG,
  user: null,
  logLimitBytes: LOG_LIMIT_BYTES,
  killGraceMs: 10_000,
  lingerMs: 1000,
  renderMark: renderAttemptMark,
};

/**
 * Executor `command`: one process group for each attempt, in a separate directory, with an environment that inherits
 * nothing (interfaces, "A run's directory and environment"). Throws `config_invalid` for a malformed command.
 */
export function createCommandExecutor({ command, ...options }: CommandExecutorOptions): Executor {
  const checked = checkCommand(command);
  const { lingerMs } = { ...DEFAULTS, ...options };
  const runsDir = resolve(options.runsDir);
  const program: Program = {
    type: 'command',
    locate: (places) => places,
    compose: (_request, _places, environment) => ({ ok: true, command: checked, environment }),
    explainExit: () => null,
    endMeans: (attempt) => ({ type: 'command', payload: payloadFile(runsDir, attempt) }),
    endLeftovers: (attempt, started) => endLeftovers(payloadFile(runsDir, attempt), lingerMs, started),
  };
  return createProcessExecutor(program, options);
}

/** One process group for each attempt: a command, or the client of a container engine. */
export function createProcessExecutor(program: Program, options: ProcessExecutorOptions): Executor {
  const settings: Settings = {
    ...DEFAULTS,
    ...options,
    program,
    runsDir: resolve(options.runsDir),
  };
  const inFlight: InFlight = new Set();
  return {
    type: program.type,
    execute: (request) => execute(request, settings, inFlight),
    wasStarted: (run, attempt) => settings.startRecords.exists(run, attempt),
    endLeftovers: (attempt) => program.endLeftovers(attempt),
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
      `the command ${file} is a relative path, but each run starts in a separate directory; use an absolute path`,
    );
  }
  return command;
}

type Start = Extract<ProgramStart, { ok: true }>;

/** Attempts that are being prepared or executed, so that two calls never prepare the same directory. */
type InFlight = Set<string>;

async function execute(
  request: ExecutionRequest,
  settings: Settings,
  inFlight: InFlight,
): Promise<RunResult | NotStarted> {
  const { id, attempt } = request.input.run;
  const key = `${id}/${attempt}`;
  if (request.signal.aborted) return describeStop(request.signal);
  if (inFlight.has(key)) return failed('interrupted');
  inFlight.add(key);
  try {
    if (await settings.startRecords.exists(id, attempt)) return failed('interrupted');
    return await executeInDirectory(request, settings);
  } catch (error) {
    if (error instanceof AppError && error.code === 'bad_request') return failed(error.message);
    return notStarted(request, messageOf(error));
  } finally {
    inFlight.delete(key);
  }
}

/** Throws only before the start record exists: if the machine lacks a resource, the attempt can be retried. */
async function executeInDirectory(request: ExecutionRequest, settings: Settings): Promise<RunResult | NotStarted> {
  const directory = await prepareRunDirectory(settings.runsDir, request, settings.user);
  try {
    const workspace = await makeWorkspace(request, directory, settings);
    if (request.signal.aborted) return describeStop(request.signal);
    if (!workspace.ok) return failed(workspace.problem);
    const places = { ...directory, workspace: workspace.dir };
    const { program, searchPath } = settings;
    const built = buildRunEnvironment(request, program.locate(places), searchPath);
    if (!built.ok) return failed(built.error);
    const start = program.compose(request, places, built.environment);
    if (!start.ok) return failed(start.problem);
    return await executeCaptured(request, directory, start, settings);
  } finally {
    await directory.prompt.close();
    await removeAttemptTree(directory.temporary).catch((error) =>
      settings.logger.warn({ err: error, run: request.input.run.id }, 'deleting temporary files of a run failed'),
    );
  }
}

/** Before the attempt counts as started: after a crash, it begins again. */
function makeWorkspace({ input, signal }: ExecutionRequest, { work }: RunDirectory, { checkOut, user }: Settings) {
  return checkOut(input, { dir: join(work, 'workspace'), owner: user, signal });
}

async function executeCaptured(
  request: ExecutionRequest,
  directory: RunDirectory,
  start: Start,
  settings: Settings,
): Promise<RunResult | NotStarted> {
  const capture = await openCapture(request, directory, settings);
  try {
    if (request.signal.aborted) return describeStop(request.signal);
    return await startWatched(request, directory, start, capture, settings);
  } finally {
    capture.releaseWriteEnd();
    await capture.finish();
  }
}

/** From before the start until no process is left, another process could end the attempt. */
async function startWatched(
  request: ExecutionRequest,
  directory: RunDirectory,
  start: Start,
  capture: OutputCapture,
  settings: Settings,
): Promise<RunResult | NotStarted> {
  const { watchdog, program, startRecords } = settings;
  const { id } = request.input.run;
  await watchdog.watch(id, program.endMeans(request.input.run));
  try {
    const rejected = await recordStart(request, startRecords);
    if (rejected !== null) return rejected;
    capture.begin();
    return await runCommand(request, directory, start, capture, settings);
  } finally {
    watchdog.release(id);
  }
}

/**
 * Once the record exists, the attempt counts as started (threat model D7). A crash before the command starts then costs one
 * run, which a person can retry; the opposite order could start a run twice. Resolves with `null` if the run may start.
 */
async function recordStart(
  request: ExecutionRequest,
  startRecords: StartRecords,
): Promise<RunResult | NotStarted | null> {
  const { id, attempt } = request.input.run;
  try {
    return (await startRecords.create(id, attempt)) ? null : failed('interrupted');
  } catch (error) {
    // The record may exist nevertheless: then only the next attempt can be started.
    const isThere = await startRecords.exists(id, attempt).catch(() => true);
    return notStarted(request, messageOf(error), isThere ? attempt + 1 : attempt);
  }
}

/** Errors of `spawn` about resources that the machine lacks. No process exists then, but the start record of this attempt does. */
const MACHINE_LACKS: ReadonlySet<string | null> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ENOSPC', 'EDQUOT']);

async function runCommand(
  request: ExecutionRequest,
  directory: RunDirectory,
  start: Start,
  capture: OutputCapture,
  settings: Settings,
): Promise<RunResult | NotStarted> {
  const [file] = start.command as [string];
  const before = await markProcesses();
  let group: ProcessGroup;
  try {
    group = await startCommand(directory, start, capture.writeEnd, settings);
  } catch (error) {
    const problem = describeStartFailure(error, file, settings.user);
    const isPassing = MACHINE_LACKS.has(systemErrorCode(error));
    return isPassing ? notStarted(request, problem, request.input.run.attempt + 1) : failed(problem);
  }
  request.onStarted(capture.logOffset);
  capture.releaseWriteEnd();
  const supervised = await supervise(group, request.signal, settings);
  await settings.program.endLeftovers(request.input.run, { leader: group.id, before });
  const output = await readOutput(request, directory, settings);
  return { ...describeEnd(supervised, settings.program), ...(output === null ? {} : { output }) };
}

/** What the run wrote to `result.json`. Its artifacts are copied, so that nothing can change them later. */
function readOutput({ input: { run }, secrets }: ExecutionRequest, { work }: RunDirectory, settings: Settings) {
  const { runsDir, maskOutput, logger } = settings;
  const createMask = () => maskOutput(secrets.values());
  const onOmitted = (path: string, problem: string) =>
    logger.warn({ run: run.id, attempt: run.attempt, artifact: path, problem }, 'artifact of a run not stored');
  const folder = artifactsFolder(runsDir, run.id, run.attempt);
  return readRunOutput(work, createMask, (artifacts) =>
    keepArtifacts(artifacts, { work, folder, createMask: secrets.size === 0 ? null : createMask, onOmitted }),
  );
}

async function openCapture(
  { input, secrets }: ExecutionRequest,
  directory: RunDirectory,
  settings: Settings,
): Promise<OutputCapture> {
  const { run } = input;
  return captureOutput({
    pipePath: directory.outputPipe,
    searchPath: settings.searchPath,
    user: settings.user,
    log: await settings.openOutput(run),
    header: settings.renderMark(run, settings.clock),
    limitBytes: settings.logLimitBytes,
    mask: settings.maskOutput(secrets.values()),
    onFailure: (error) => settings.logger.warn({ err: error, run: run.id }, 'writing the log of a run failed'),
  });
}

function startCommand(
  directory: RunDirectory,
  { command, environment }: Start,
  output: number,
  { user }: Settings,
): Promise<ProcessGroup> {
  // The file itself, not a pipe: a command that never reads its input blocks nobody.
  return startProcessGroup({ command, cwd: directory.work, environment, user, input: directory.prompt.fd, output });
}

function describeStartFailure(error: unknown, file: string, user: RunUser | null): string {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') {
    return `cannot start ${file}: the program, or the interpreter in its first line, does not exist`;
  }
  if (code === 'EACCES') {
    const who = user === null ? "the daemon's user" : `user ${user.name}`;
    return `cannot start ${file}: it is not executable for ${who}; use chmod +x`;
  }
  if (code === 'E2BIG') return `cannot start ${file}: the secrets of the run are too large for an environment`;
  return `cannot start ${file}: ${messageOf(error)}`;
}

/** Converts the end of a command into the result of a run. */
function describeEnd({ exit, stoppedBy }: Supervised, program: Program): RunResult {
  if (stoppedBy === 'cancelled') return { state: 'cancelled', error: 'cancelled', exitCode: exit.code };
  if (stoppedBy === 'timeout') return failed('timeout', exit.code);
  if (exit.code === 0) return { state: 'succeeded', error: null, exitCode: 0 };
  if (stoppedBy === 'interrupted') return failed('interrupted', exit.code);
  if (exit.code === null) return failed(`signal ${exit.signal}`, exit.code);
  return failed(program.explainExit(exit.code) ?? `exit code ${exit.code}`, exit.code);
}
