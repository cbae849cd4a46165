import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { GitError, type SimpleGit, type SimpleGitOptions, simpleGit } from 'simple-git';
import { messageOf } from '../../domain/errors.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { explainStartFailure } from './git-process.ts';

/** A repository that Dockbell created, and how git is started for it. */
interface OwnRepository {
  /** An existing folder: the bare repository, or the work tree. */
  dir: string;
  isBare: boolean;
  /** Source of `PATH`; git gets nothing else from it. */
  environment: Environment;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** A git command failed. The message is one sentence without a full stop. */
export class OwnGitError extends Error {}

/** git failed without a message. A `GitError`, because simple-git drops every other error that `errors` returns. */
class SilentFailure extends GitError {
  /** `null`: a signal ended git. */
  readonly exitCode: number | null;

  constructor(exitCode: number | null) {
    const end = exitCode === null ? 'was ended by a signal' : `failed with exit code ${exitCode} and without a message`;
    super(undefined, `git ${end}`);
    this.exitCode = exitCode;
  }
}

/** A spawn needs eight descriptors: three pipes and those of libuv. */
const DESCRIPTORS_OF_A_SPAWN = 16;

/**
 * Runs git through simple-git in a repository that Dockbell created on this machine. docs/decisions.md ("Git") has the
 * rule for the choice between this and `git-process.ts`. `work` gets git for one task. Throws `OwnGitError`.
 *
 * @param input standard input of git
 */
export async function useOwnGit<T>(
  repository: OwnRepository,
  work: (git: SimpleGit) => PromiseLike<T>,
  input?: Uint8Array,
): Promise<T> {
  const { timeoutMs, signal } = repository;
  const deadline = AbortSignal.timeout(timeoutMs);
  const abort = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  try {
    requireDescriptors();
    // Only promises run between here and the first start of git, so the descriptors are still free then.
    return await work(openRepository(repository, abort, input));
  } catch (error) {
    if (signal?.aborted) throw new OwnGitError('the repository is closed', { cause: error });
    if (deadline.aborted) throw new OwnGitError(`git took longer than ${timeoutMs / 1000} seconds`, { cause: error });
    throw new OwnGitError(explain(error), { cause: error });
  }
}

/**
 * Runs a query for which git exits with 1 and no output if the answer is no, such as
 * `rev-parse --quiet --verify` and `merge-base --is-ancestor`. Returns the output of git, or `null` for no. Throws
 * `OwnGitError` for every other failure.
 */
export async function askOwnGit(repository: OwnRepository, question: string[]): Promise<string | null> {
  try {
    return await useOwnGit(repository, (git) => git.raw(question));
  } catch (error) {
    if (error instanceof OwnGitError && error.cause instanceof SilentFailure && error.cause.exitCode === 1) return null;
    throw error;
  }
}

/**
 * simple-git with what version 4.0.2 lacks: every failure is an error, and a command without output ends without a wait.
 *
 * @param variables the whole environment of git
 */
export function openGit(variables: Record<string, string>, options: Partial<SimpleGitOptions>): SimpleGit {
  return (
    simpleGit({
      ...options,
      // `exit` can come before the last output.
      completion: { onClose: true, onExit: false },
      errors: findFailure,
      // These names are guarded, not unsafe: none of them can start a program.
      allowEnvironment: Object.keys(variables).filter((name) => name.startsWith('GIT_')),
    })
      .env(variables)
      // simple-git waits 50 ms after each command without output. An empty chunk on stderr prevents that. It is emitted
      // in a microtask because simple-git adds its listeners later in the same tick.
      .outputHandler((_command, _stdout, stderr) => queueMicrotask(() => stderr.emit('data', Buffer.alloc(0))))
  );
}

type FindFailure = NonNullable<SimpleGitOptions['errors']>;

/** simple-git sees no failure without a message on stderr, and none if a signal ended git. */
function findFailure(...[found, { exitCode }]: Parameters<FindFailure>): ReturnType<FindFailure> {
  const hasMessage = found !== undefined && messageOf(found).trim() !== '';
  return hasMessage || exitCode === 0 ? found : new SilentFailure(exitCode);
}

/**
 * simple-git 4.0.2 listens to the child's `error` event only after it has read the child's streams, which do not exist
 * without free file descriptors: the event would end the daemon.
 */
function requireDescriptors(): void {
  const taken: number[] = [];
  try {
    while (taken.length < DESCRIPTORS_OF_A_SPAWN) taken.push(openSync(devNull, 'r'));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}

function openRepository(
  { dir, isBare, environment }: OwnRepository,
  abort: AbortSignal,
  input?: Uint8Array,
): SimpleGit {
  return openGit(buildEnvironment(dir, isBare, environment), {
    baseDir: dir,
    abort,
    ...(input === undefined ? {} : { input: () => Buffer.from(input.buffer, input.byteOffset, input.byteLength) }),
  });
}

function buildEnvironment(dir: string, isBare: boolean, { PATH }: Environment): Record<string, string> {
  return {
    ...(PATH === undefined ? {} : { PATH }),
    LC_ALL: 'C',
    // Without the configuration of a user: our repositories contain all of their settings.
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // git does not search for another repository, and does not check the owner of this one.
    ...(isBare ? { GIT_DIR: dir } : { GIT_CEILING_DIRECTORIES: dir }),
  };
}

function explain(error: unknown): string {
  if (error instanceof SilentFailure) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return explainStartFailure(error);
  const words = messageOf(error).trim();
  // simple-git turns a failed start into the text of its stack.
  const startCode = /^Error: spawn git ([A-Z]+)/.exec(words)?.[1];
  return startCode === undefined ? describeMessage(words) : explainStartFailure({ code: startCode });
}

/** Why a git that exited with this code failed. */
export function describeExit(exitCode: number, stderr: string): string {
  return stderr.trim() === '' ? new SilentFailure(exitCode).message : describeMessage(stderr.trim());
}

function describeMessage(words: string): string {
  return `git reports ${words.split('\n').join(' ')}`;
}
