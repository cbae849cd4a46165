import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { messageOf } from '../../domain/errors.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { type CancelCall, scheduleCall } from '../../domain/time/schedule.ts';
import { endGroup, signalGroup } from '../../platform/processes/process-group.ts';
import type { Credentials } from './repository-url.ts';

/** One start of git. */
export interface GitCommand {
  args: readonly string[];
  /** The repository; git never searches for one. */
  gitDir?: string;
  /** A file that git only reads, before all others: protected settings such as `safe.directory`. */
  globalConfigFile?: string;
  /** Additional settings of this command, each `[key, value]`. */
  config?: readonly (readonly [string, string])[];
  /** The only transport that git may use; none if omitted. */
  protocol?: 'file' | 'https' | 'http' | 'ssh';
  /** Only for the server named by `origin` (`scheme://host:port`). */
  credentials?: (Credentials & { origin: string }) | null;
  /** Source of the variables in `PASSED_ON`, such as `PATH` and `HOME`. */
  environment: Environment;
  stdin?: Uint8Array;
  timeoutMs: number;
  maxOutputBytes: number;
  /** Largest file that git or any process it starts may write; unlimited if omitted. */
  maxFileBytes?: number;
  /** Address space of git and of each process it starts. Default: `MAX_GIT_MEMORY_BYTES`. */
  maxMemoryBytes?: number;
  signal?: AbortSignal;
}

/**
 * The end of a git command. `stderr` contains the last kilobytes. The `message` of `not-started` contains the reason and
 * the solution, without a full stop.
 */
export type GitOutcome =
  | { kind: 'exited'; code: number; stdout: Buffer; stderr: string }
  | { kind: 'timeout' | 'flooded' | 'aborted' }
  | { kind: 'not-started'; message: string };

type ForcedEnd = 'timeout' | 'flooded' | 'aborted';

/** Variables that git and ssh need; they get nothing else of the daemon's environment. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'GIT_SSH_COMMAND',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
];

/** By default, git maps packs in windows of 1 GiB, which exceeds its memory limit. */
export const SMALL_PACK_WINDOWS: readonly (readonly [string, string])[] = [
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '256m'],
];

/** Settings that no repository can change: the command line takes precedence over its `config` file (G1, G2). */
const FIXED_CONFIG: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['protocol.allow', 'never'],
  ['credential.helper', ''],
  ['transfer.fsckObjects', 'true'],
  ['fetch.fsckObjects', 'true'],
  // One pack per fetch, so that the limit on the file size limits the fetch.
  ['fetch.unpackLimit', '1'],
  ['fetch.recurseSubmodules', 'false'],
  // Larger blobs are streamed: a small pack that inflates to gigabytes does not fill the memory.
  ['core.bigFileThreshold', '16m'],
  ['pack.threads', '1'],
  ['core.fsync', 'none'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // The only deadline of a git process whose daemon was killed.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
  // A server must not redirect git to another host: the operator chose this one.
  ['http.followRedirects', 'false'],
  ...SMALL_PACK_WINDOWS,
];

/** Maximum address space of one git process: an endless response of a server must not use all memory of the host. */
export const MAX_GIT_MEMORY_BYTES = 1_073_741_824;

/**
 * A shell sets the limits and then becomes git. Every value is a positional argument, none is shell text. A limit that the
 * system does not support, or that is already lower, stays unchanged.
 */
const LIMITED_START =
  'ulimit -c 0; ulimit -v "$1" 2>/dev/null || :; ulimit -f "$2" 2>/dev/null || :; shift 2; exec git "$@"';
const FILE_BLOCK_BYTES = 512;
const MEMORY_BLOCK_BYTES = 1024;
/** Exit codes of the shell if it cannot become git. */
const SHELL_START_FAILURES: readonly (number | null)[] = [126, 127];

const ANSWER_CREDENTIALS =
  '!answer() { test "$1" = get || return 0; printf "username=%s\\npassword=%s\\n" "$DOCKBELL_GIT_USERNAME" "$DOCKBELL_GIT_PASSWORD"; }; answer';

/** Enough for the sentence that is shown. A server may choose most of this text, so its size is limited. */
const MAX_STDERR_BYTES = 4_096;
/** Time between SIGTERM and SIGKILL for the process group. */
const KILL_GRACE_MS = 300;
/** Replaces the exit code of a git process that a signal ended. */
const SIGNALLED = 128;

/** Runs git; `runGit` does so from this process. */
export type RunGit = (command: GitCommand) => Promise<GitOutcome>;

/** Runs git without shell parsing, prompts, hooks or user configuration. Decision 10 lists the repositories it is for. */
export function runGit(command: GitCommand): Promise<GitOutcome> {
  if (command.signal?.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    try {
      const child = startGit(command);
      if (hasStreams(child)) superviseGit(command, child, resolve);
      else child.once('error', (error) => resolve(describeStartFailure(error)));
    } catch (error) {
      resolve(describeStartFailure(error));
    }
  });
}

function startGit(command: GitCommand): ChildProcess {
  const { args, maxFileBytes, maxMemoryBytes = MAX_GIT_MEMORY_BYTES } = command;
  const options = { env: buildEnvironment(command), cwd: '/', stdio: 'pipe', detached: true } as const;
  const memory = String(Math.ceil(maxMemoryBytes / MEMORY_BLOCK_BYTES));
  const fileSize = maxFileBytes === undefined ? 'unlimited' : String(Math.ceil(maxFileBytes / FILE_BLOCK_BYTES));
  return spawn('/bin/sh', ['-c', LIMITED_START, 'dockbell-git', memory, fileSize, ...args], options);
}

/** Without free file descriptors Node creates no streams, although its types promise them. */
function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return Boolean(child.stdin && child.stdout && child.stderr);
}

const START_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'git is not installed or not in PATH; install git 2.32 or newer',
  EMFILE: 'git cannot be started: Dockbell has no free file descriptor (EMFILE); raise its limit on open files',
  ENFILE: 'git cannot be started: the system has no free file descriptor (ENFILE); raise fs.file-max',
  EAGAIN: 'git cannot be started: the limit on processes is reached (EAGAIN); raise it',
  ENOMEM: 'git cannot be started: the system has no free memory (ENOMEM)',
};

/** Why git could not be started and what to do, by the code of the system error; without a full stop. */
export function explainStartFailure(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : START_FAILURES[code];
  return known ?? `git cannot be started: ${messageOf(error)}`;
}

function describeStartFailure(error: unknown): GitOutcome {
  return { kind: 'not-started', message: explainStartFailure(error) };
}

function superviseGit(
  command: GitCommand,
  child: ChildProcessWithoutNullStreams,
  resolve: (outcome: GitOutcome) => void,
): void {
  let forced: ForcedEnd | null = null;
  let cancelClosing: CancelCall = () => {};
  const end = (reason: ForcedEnd) => {
    if (forced !== null) return;
    forced = reason;
    if (child.pid !== undefined) void endGroup(child.pid, KILL_GRACE_MS);
  };
  const abort = () => end('aborted');
  const cancelDeadline = scheduleCall(command.timeoutMs, () => end('timeout'));
  const stdout = collectOutput(child.stdout, command.maxOutputBytes, () => end('flooded'));
  const stderr = collectTail(child.stderr);
  const finish = (outcome: GitOutcome) => {
    cancelDeadline();
    cancelClosing();
    command.signal?.removeEventListener('abort', abort);
    resolve(outcome);
  };
  command.signal?.addEventListener('abort', abort, { once: true });
  child.once('error', (error) => finish(describeStartFailure(error)));
  child.once('exit', () => {
    // Ends the children of git. A process outside the group cannot keep the pipes open for long.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    cancelClosing = scheduleCall(KILL_GRACE_MS, () => closePipes(child));
  });
  child.once('close', (code) => {
    if (forced !== null) return finish({ kind: forced });
    if (SHELL_START_FAILURES.includes(code)) return finish(describeStartFailure({ code: 'ENOENT' }));
    finish({ kind: 'exited', code: code ?? SIGNALLED, stdout: stdout(), stderr: stderr() });
  });
  // git may end before it has read everything; its exit code then shows why.
  child.stdin.on('error', () => {});
  child.stdin.end(command.stdin);
}

function closePipes(child: ChildProcessWithoutNullStreams): void {
  child.stdout.destroy();
  child.stderr.destroy();
}

function collectOutput(stream: Readable, maxBytes: number, onFlood: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) onFlood();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks);
}

function collectTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  let isCut = false;
  stream.on('data', (chunk: Buffer) => {
    isCut ||= tail.length + chunk.length > MAX_STDERR_BYTES;
    tail = Buffer.concat([tail, chunk]).subarray(-MAX_STDERR_BYTES);
  });
  return () => {
    const text = tail.toString('utf8');
    // A part of a credential could not be recognised, so the rest of a cut word is dropped.
    return isCut ? text.slice(text.search(/\s|$/)) : text;
  };
}

/** The variables that git gets of an environment. */
export function pickPassedOn(environment: Environment): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passedOn);
}

function buildEnvironment(command: GitCommand): Record<string, string> {
  return {
    // Without a prompt at a terminal: ssh fails instead of waiting.
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15',
    ...pickPassedOn(command.environment),
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: command.protocol ?? 'none',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: command.globalConfigFile ?? '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    ...(command.gitDir === undefined ? {} : { GIT_DIR: command.gitDir }),
    ...buildCredentials(command),
    ...buildConfig(command),
  };
}

function buildCredentials(command: GitCommand): Record<string, string> {
  if (!command.credentials) return {};
  return { DOCKBELL_GIT_USERNAME: command.credentials.username, DOCKBELL_GIT_PASSWORD: command.credentials.password };
}

function buildConfig(command: GitCommand): Record<string, string> {
  const helper = command.credentials
    ? [[`credential.${command.credentials.origin}.helper`, ANSWER_CREDENTIALS] as const]
    : [];
  const config = [...FIXED_CONFIG, ...helper, ...(command.config ?? [])];
  const pairs = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(pairs) };
}
