import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface WorkerStart {
  url: string;
  token: string;
  stateDir: string;
  /** Options and command, after `dockbell worker`. */
  args: readonly string[];
  env?: Record<string, string>;
}

/** A `dockbell worker` in a separate process. */
export interface WorkerProcess {
  process: ChildProcess;
  output(): string;
  /** The exit code, or the name of the signal that ended it. */
  exited: Promise<number | string>;
  /** Sends the signal and resolves like `exited`. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export function startWorkerProcess({ url, token, stateDir, args, env = {} }: WorkerStart): WorkerProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [MAIN, 'worker', '--url', url, '--state-dir', stateDir, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, DOCKBELL_TOKEN: token, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    process: child,
    output: () => output,
    exited,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** A port that no program uses now, for a daemon that is started again. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
