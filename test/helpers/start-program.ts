import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
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

/** A command in a terminal. `end` signals the terminal instead of the command. */
export interface ProgramInTerminal extends StartedProgram {
  /** Presses keys, or pastes a text. */
  type(keys: string): void;
}

interface Surroundings {
  cwd: string;
  env?: Record<string, string>;
}

/** Starts the command in a folder, with only these variables and `PATH`. */
export function startProgram(args: readonly string[], surroundings: Surroundings): StartedProgram {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return follow(spawn(process.execPath, [MAIN, ...args], { ...resolveSurroundings(surroundings), stdio: [...stdio] }));
}

/** Starts a command of the shell in a terminal. `$DOCKBELL` is the built program. Requires `script` of util-linux. */
export function startInTerminal(command: string, { cwd, env = {} }: Surroundings): ProgramInTerminal {
  const program = { DOCKBELL: `${process.execPath} ${MAIN}`, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '1' };
  const child = spawn('script', ['--quiet', '--flush', '--command', command, join(cwd, '..', 'typescript')], {
    ...resolveSurroundings({ cwd, env: { ...program, ...env } }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { ...follow(child), type: (keys) => void child.stdin.write(keys) };
}

function resolveSurroundings({ cwd, env = {} }: Surroundings) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { cwd, env: { PATH, NODE_COMPILE_CACHE, ...env } };
}

function follow(child: ChildProcess): StartedProgram {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text.replaceAll('\r\n', '\n')));
  }
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
