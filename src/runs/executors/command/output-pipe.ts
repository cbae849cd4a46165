import { execFile } from 'node:child_process';
import { constants, fchownSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { AppError, systemErrorCode } from '../../../domain/errors.ts';
import type { RunUser } from './run-user.ts';

const execute = promisify(execFile);

/** One pipe for standard output and standard error of a process. */
export interface OutputPipe {
  /** File descriptor for the process. Must be closed here once the process has its copy, or the output never ends. */
  writeEnd: number;
  /** The output in the order of writing; ends when the last process closes the write end. */
  output: Readable;
}

/**
 * Creates a pipe with the program `mkfifo` at a path that is free again when this resolves. The pipes of Node are sockets,
 * one per stream: lines of the two would arrive in another order, and `echo … > /dev/stderr` in a script would fail.
 */
export async function openOutputPipe(path: string, searchPath: string, owner: RunUser | null): Promise<OutputPipe> {
  await makeFifo(path, searchPath);
  try {
    // The read end first: without a reader, opening the write end would block.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const output = new Socket({ fd: readEnd, readable: true, writable: false });
    return { writeEnd: openWriteEnd(path, output, owner), output };
  } finally {
    unlinkSync(path);
  }
}

function openWriteEnd(path: string, output: Socket, owner: RunUser | null): number {
  try {
    const writeEnd = openSync(path, constants.O_WRONLY);
    if (owner !== null) fchownSync(writeEnd, owner.uid, owner.gid);
    return writeEnd;
  } catch (error) {
    output.destroy();
    throw error;
  }
}

async function makeFifo(path: string, searchPath: string): Promise<void> {
  try {
    await execute('mkfifo', ['-m', '600', '--', path], { env: { PATH: searchPath } });
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new AppError('internal', `the program mkfifo (coreutils) was not found on PATH ${searchPath}; install it`);
  }
}
