import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import type { StopMode } from '../../src/app/end-daemon.ts';
import { importBuiltApp } from './built-app.ts';
import { eventually } from './eventually.ts';
import { deferToFileEnd } from './file-endings.ts';
import { createTempDir } from './temp-dir.ts';

/** A start takes a second on an idle machine. This limit is for a machine with ten other tasks per core. */
const START_MS = 60_000;

/** A command that a test leaves behind must not delay the end of the test. */
const NO_DRAIN = { drain: '0s' };

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A built daemon with its data in a separate folder. */
export interface TestDaemon {
  dataDir: string;
  ingressUrl: string;
  adminUrl: string;
  /** All its output: log lines, then standard error. */
  output(): string;
  /** Sends a request to the management API with the owner token. Returns the parsed body. */
  api(path: string, init?: { method?: string; body?: unknown; token?: string }): Promise<ApiAnswer>;
  /** Runs a command for this daemon, in this process. `cli.process.test.ts` tests the process itself. */
  cli(...args: string[]): Promise<CliResult>;
  /** Stops the daemon as the signal would. Resolves with its exit code; `null` if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A daemon that was started as an operator would do. */
export interface DaemonProcess extends TestDaemon {
  pid: number;
  /** Resolves as `end`. */
  exited: Promise<number | null>;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes
  body: any;
}

export interface TestDaemonOptions {
  /** Like `dockbell.yaml`; ports and `dataDir` are added. */
  config: Record<string, unknown>;
  /** An existing data directory; a new one if omitted. */
  dataDir?: string;
  env?: Record<string, string>;
  /** Limit of open files of the daemon; the limit of this process if omitted. */
  openFiles?: number;
  /** A program and its arguments that start the daemon, whose command line follows. */
  launcher?: readonly string[];
  /** File descriptors that the launcher inherits as 3, 4 and so on. */
  sockets?: readonly number[];
  /** Another entry than the built `main.js serve`. It gets the configuration file as its argument. */
  entry?: string;
  /** Node.js and `main.js` instead of the running and the built one. */
  program?: { node: string; main: string };
}

/**
 * Starts a daemon in this process, for all tests but those of kills, restarts after them, signals, descriptors and the binary.
 * It takes half the processor time of a separate process.
 */
export async function startDaemonHere(
  options: Pick<TestDaemonOptions, 'config' | 'dataDir' | 'env'>,
): Promise<TestDaemon> {
  const { startDaemon } = await importBuiltApp();
  const { dataDir, configFile } = prepareDataDir(options);
  const lines: string[] = [];
  const daemon = await startDaemon({
    configFile,
    env: { PATH: process.env.PATH ?? '', ...options.env },
    log: { format: 'json', destination: { write: (line) => lines.push(line) } },
  });
  deferToFileEnd(() => daemon.stop('force'));
  const { ingressUrl, adminUrl } = daemon;
  return {
    ...describeDaemon({ dataDir, ingressUrl, adminUrl }),
    output: () => lines.join(''),
    end: async (signal) => {
      const mode = STOP_MODES[signal];
      if (mode === undefined) throw new Error(`${signal} would end the process of the test: use startTestDaemon`);
      void daemon.stop(mode);
      return daemon.exited;
    },
  };
}

/** What `dockbell serve` does at the first signal. */
const STOP_MODES: Partial<Record<NodeJS.Signals, StopMode>> = { SIGTERM: 'drain', SIGINT: 'now' };

/** Starts a process and resolves when its daemon accepts requests. Rejects with its output if it ends before that. */
export async function startTestDaemon(options: TestDaemonOptions): Promise<DaemonProcess> {
  const launched = launchTestDaemon(options);
  const daemon = await launched.serving;
  if (daemon === null) throw new Error(`the daemon ended with ${await launched.exited}:\n${launched.output()}`);
  return daemon;
}

/** A daemon that may end before it accepts requests. */
export interface LaunchedDaemon {
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; `null` if a signal ended the daemon. */
  exited: Promise<number | null>;
  /** `null` if it ended before it accepted requests. */
  serving: Promise<DaemonProcess | null>;
}

/** Starts a daemon without waiting. */
export function launchTestDaemon(options: TestDaemonOptions): LaunchedDaemon {
  const { dataDir, configFile } = prepareDataDir(options);
  const daemonFile = join(dataDir, 'daemon.json');
  rmSync(daemonFile, { force: true });

  const { node, main } = options.program ?? { node: process.execPath, main: MAIN };
  const args = options.entry ? [options.entry, configFile] : [main, 'serve', '--config', configFile];
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...options.env };
  const [program = '', ...rest] = [...limitFiles(options.openFiles), ...(options.launcher ?? []), node, ...args];
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe', ...(options.sockets ?? [])] });
  const output = collectOutput(child);
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // A daemon that a test leaves behind would take processor time from all later tests.
  deferToFileEnd(() => {
    if (!hasEnded()) kill('SIGKILL');
  });
  const describe = (): DaemonProcess => {
    const { ingress_url: ingressUrl, admin_url: adminUrl } = JSON.parse(readFileSync(daemonFile, 'utf8'));
    return {
      ...describeDaemon({ dataDir, ingressUrl, adminUrl }),
      pid: child.pid!,
      output,
      exited,
      end: (signal) => {
        kill(signal);
        return exited;
      },
    };
  };
  const isDecided = () => existsSync(daemonFile) || hasEnded();
  const serving = eventually(isDecided, START_MS).then(
    () => (existsSync(daemonFile) ? describe() : null),
    () => {
      kill('SIGKILL');
      throw new Error(`the daemon did not accept requests within ${START_MS} ms:\n${output()}`);
    },
  );
  return { output, kill, exited, serving };
}

/** The data directory, with a configuration that uses free ports. */
function prepareDataDir({ dataDir = createTempDir('daemon'), config }: Pick<TestDaemonOptions, 'dataDir' | 'config'>) {
  const configFile = join(dataDir, 'dockbell.yaml');
  const ports = { ingress: { port: 0 }, admin: { port: 0 } };
  writeFileSync(configFile, stringify({ ...ports, dataDir, ...NO_DRAIN, ...config }));
  return { dataDir, configFile };
}

/** The addresses of a daemon, and its clients. */
function describeDaemon(daemon: Pick<TestDaemon, 'dataDir' | 'ingressUrl' | 'adminUrl'>) {
  const { dataDir, adminUrl } = daemon;
  const api: TestDaemon['api'] = (path, init = {}) =>
    callApi(`${adminUrl}/api/v1${path}`, join(dataDir, 'admin-token'), init);
  const cli: TestDaemon['cli'] = (...args) => runCliHere([...args, '--data-dir', dataDir]);
  return { ...daemon, api, cli };
}

function limitFiles(openFiles: number | undefined): string[] {
  return openFiles === undefined ? [] : ['/bin/sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh'];
}

function collectOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  child.stderr?.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

async function callApi(
  url: string,
  tokenFile: string,
  { method, body, token }: { method?: string; body?: unknown; token?: string },
): Promise<ApiAnswer> {
  const response = await fetch(url, {
    method: method ?? 'GET',
    headers: {
      authorization: `Bearer ${token ?? readFileSync(tokenFile, 'utf8').trim()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text };
}

let sent = 0;

/** Imported when first used, because half of the test files with a daemon run no command. */
async function runCliHere(args: string[]): Promise<CliResult> {
  const [{ runCli }, { sleepUnlessAborted }] = await Promise.all([
    import('./run-cli.ts'),
    import('../../src/cli/context.ts'),
  ]);
  const env = { PATH: process.env.PATH ?? '' };
  const newId = () => `send_${process.pid}_${++sent}`;
  return runCli(args, { env, newId, cwd: process.cwd(), onSleep: sleepUnlessAborted });
}

/** Runs the built command line in a separate process. */
export async function runBuiltCli(args: string[]): Promise<CliResult> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH, NODE_COMPILE_CACHE } });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  child.stdin.end();
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? -1)));
  return { code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
}
