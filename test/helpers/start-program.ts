import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A command of the built program that runs until it is stopped. */
export interface StartedProgram {
  pid: number;
  /** Standard output and standard error, in the order in which they arrived. */
  output(): string;
  /** Waits until the output after `from` has this text or matches; returns what it found. */
  shows(wanted: string | RegExp, from?: number): Promise<string>;
  /** The exit code; `null` if a signal ended it. */
  exited: Promise<number | null>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the command in a folder, with only these variables and `PATH`. */
export function startProgram(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): StartedProgram {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid!,
    output: () => output,
    shows: async (wanted, from = 0) => {
      const look = () => {
        const text = output.slice(from);
        const found = typeof wanted === 'string' ? (text.includes(wanted) ? wanted : null) : text.match(wanted)?.[0];
        if (found != null) return found;
        if (isOver()) throw new Error(`the program ended without ${wanted}:\n${output}`);
        return null;
      };
      return eventually(look).catch((error: unknown) => {
        throw new Error(`${String(error)}\nNo ${wanted} in:\n${output.slice(from)}`);
      });
    },
    exited,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}
