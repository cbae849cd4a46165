import { execFile } from 'node:child_process';
import { constants, fchownSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { AppError, systemErrorCode } from '../../core/errors.ts';
import type { RunUser } from './run-user.ts';

const execute = promisify(execFile);

/** One pipe for standard output and standard error of a process. */
export interface OutputPipe {
  /** File descriptor for the process. To be closed here once the process has its own, or there is no end. */
  writeEnd: number;
  /** What is written, in the order in which it is written; ends when the last holder of the write end closes it. */
  output: Readable;
}

/**
 * Makes a pipe with the program `mkfifo` at a path that is free again when this resolves. Node's own pipes are sockets, one
 * for each stream: lines of the two would arrive in another order, and `echo … > /dev/stderr` in a script would fail.
 */
export async function openOutputPipe(path: string, searchPath: string, owner: RunUser | null): Promise<OutputPipe> {
  await makeFifo(path, searchPath);
  try {
    // The reading end first: without a reader the other would wait; without a writer the reader would see the end.
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
