import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { type SimpleGit, simpleGit } from 'simple-git';
import { messageOf } from '../core/errors.ts';
import { type Environment, explainStartFailure } from './git-process.ts';

/** A repository that Dockbell created, and how its git is started. */
export interface OwnRepository {
  /** An existing folder: the bare repository, or the work tree. */
  dir: string;
  isBare: boolean;
  /** From where `PATH` is taken; nothing else of it reaches git. */
  environment: Environment;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** git did not do what it was asked. The message is one sentence without a full stop. */
export class OwnGitError extends Error {}

/** A spawn takes eight descriptors: three pipes and what libuv needs for itself. */
const DESCRIPTORS_OF_A_SPAWN = 16;

/**
 * Works on a repository that Dockbell created on this machine, by way of simple-git; docs/architecture.md has the rule
 * which code uses this and which `git-process.ts`. `work` gets git for one task. Throws `OwnGitError`.
 *
 * @param input what git reads from its standard input
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
    // Nothing but promises runs between here and the first start of git, so the descriptors are still free then.
    return await work(openGit(repository, abort, input));
  } catch (error) {
    if (signal?.aborted) throw new OwnGitError('the repository is closed', { cause: error });
    if (deadline.aborted) throw new OwnGitError(`git took longer than ${timeoutMs / 1000} seconds`, { cause: error });
    throw new OwnGitError(explain(error), { cause: error });
  }
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

function openGit({ dir, isBare, environment }: OwnRepository, abort: AbortSignal, input?: Uint8Array): SimpleGit {
  const variables = buildEnvironment(dir, isBare, environment);
  return simpleGit({
    baseDir: dir,
    abort,
    // These names are guarded, not unsafe: none of them can start a program.
    allowEnvironment: Object.keys(variables).filter((name) => name.startsWith('GIT_')),
    ...(input === undefined ? {} : { input: () => Buffer.from(input.buffer, input.byteOffset, input.byteLength) }),
  }).env(variables);
}

function buildEnvironment(dir: string, isBare: boolean, { PATH }: Environment): Record<string, string> {
  return {
    ...(PATH === undefined ? {} : { PATH }),
    LC_ALL: 'C',
    // No configuration of a user takes part: a repository of ours carries all of its settings itself.
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // git looks for no other repository, and does not ask who owns this one.
    ...(isBare ? { GIT_DIR: dir } : { GIT_CEILING_DIRECTORIES: dir }),
  };
}

function explain(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return explainStartFailure(error);
  const words = messageOf(error).trim();
  // simple-git turns a failed start into the text of its stack.
  const startCode = /^Error: spawn git ([A-Z]+)/.exec(words)?.[1];
  return startCode === undefined ? `git says ${words.split('\n').join(' ')}` : explainStartFailure({ code: startCode });
}
