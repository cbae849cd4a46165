import { execFile, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createBarePath } from './bare-path.ts';
import { type Fence, listFences } from './documents.ts';
import { eventually } from './eventually.ts';
import { createTempDir } from './temp-dir.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const INSTALLED = `'${process.execPath}' '${MAIN}'`;

/** The command line on a server whose service has this data directory. It runs from the sources, because it is no installed program. */
export function describeServerProgram(dataDir: string): string {
  const paths = [import.meta.resolve('tsx'), fileURLToPath(new URL('server-cli.ts', import.meta.url)), dataDir];
  return [`'${process.execPath}' --import`, ...paths.map((path) => `'${path}'`)].join(' ');
}

const LANGUAGES = ['sh', 'bash', 'console'];
const NOT_EXECUTED = /^not-executed: (.+)$/;
const BLOCK_MS = 60_000;
/** Limit for the runs of a session on a busy machine. */
const RUN_ENDS_MS = 20_000;

/**
 * All programs that a block can start, in addition to Node.js and `dockbell`. A block with another one, such as `systemctl` or
 * `apt-get`, fails here unless it has a reason not to be executed.
 */
const PROGRAMS =
  'bash sh env cat chmod date grep head mkdir mkfifo od sed sleep timeout tr uname wc curl git jq openssl'.split(' ');

/** Standard input of every block: a value for commands that read a secret or a password from it. */
const TYPED = 'a-long-value-that-nobody-guesses-0123456789\n';

/** The blocks of a document that a reader pastes into a shell. Blocks with a file name are files. */
export function listCommandBlocks(document: string): Fence[] {
  return listFences(document).filter(({ language }) => LANGUAGES.includes(language));
}

/** The reason in the first line of a block that no test can execute; `null` if a test must execute it. */
export function readReason({ title }: Fence): string | null {
  return NOT_EXECUTED.exec(title)?.[1] ?? null;
}

/** Values that the document shows as examples, and those of the test. */
export type Replacements = readonly (readonly [string | RegExp, string])[];

/** A shell that executes the blocks of one document in order: directory and variables stay between blocks. */
export interface DocumentShell {
  folder: string;
  /** Executes a block and compares what it shows. Resolves to what it printed. */
  execute(block: Fence, replacements?: Replacements): Promise<string>;
  /** Starts a command in the background. */
  start(command: string): void;
  /** Ends commands in the background. */
  end(): Promise<void>;
}

/** @param program the command line that `dockbell` starts, quoted for a shell */
export function openDocumentShell(folder: string, env: Record<string, string>, program = INSTALLED): DocumentShell {
  const state = createTempDir('document-shell');
  writeFileSync(join(state, 'cwd'), folder);
  writeFileSync(join(state, 'env'), '');
  writeFileSync(join(state, 'dockbell'), `#!/bin/sh\nexec ${program} "$@"\n`);
  chmodSync(join(state, 'dockbell'), 0o755);
  const { NODE_COMPILE_CACHE = '' } = process.env;
  const git = { GIT_CONFIG_GLOBAL: join(state, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1' };
  writeFileSync(git.GIT_CONFIG_GLOBAL, '[user]\n\tname = Reader\n\temail = reader@dockbell.invalid\n');
  const environment = {
    PATH: `${state}:${createBarePath(PROGRAMS)}`,
    HOME: state,
    NODE_COMPILE_CACHE,
    NO_COLOR: '1',
    ...git,
    ...env,
  };
  const background: ReturnType<typeof spawn>[] = [];
  const wrap = (script: string) =>
    `set -eu -o pipefail; set -a; . '${state}/env'; cd "$(cat '${state}/cwd')"
trap 'export -p > "${state}/env"; pwd > "${state}/cwd"' EXIT
${script}`;
  const run = (script: string, mayFail = false) =>
    new Promise<string>((resolve, reject) => {
      const options = { env: environment, timeout: BLOCK_MS, encoding: 'utf8' as const };
      const child = execFile('bash', ['-c', wrap(script)], options, (error, stdout, stderr) =>
        error === null || mayFail ? resolve(stdout) : reject(new Error(`${script}\n${stdout}${stderr}`)),
      );
      child.stdin?.on('error', () => {});
      child.stdin?.end(TYPED);
    });
  const start = (script: string) => {
    const command = `cd "$(cat '${state}/cwd')"; exec ${script}`;
    background.push(spawn('bash', ['-c', command], { env: environment, stdio: 'ignore' }));
  };
  return {
    folder,
    start,
    async execute(block, replacements = []) {
      const text = replacements.reduce((all, [from, to]) => all.replaceAll(from as string, to), block.text);
      if (block.title === 'background') {
        start(text.trim());
        return '';
      }
      if (block.language === 'console') return executeSession(text, run);
      return run(text);
    },
    async end() {
      for (const child of background) child.kill('SIGTERM');
      await eventually(async () => background.every((child) => child.exitCode !== null || child.signalCode !== null));
    },
  };
}

/** Lines with `$ ` are commands; the lines below are their output, which is compared. */
async function executeSession(
  text: string,
  run: (script: string, mayFail?: boolean) => Promise<string>,
): Promise<string> {
  let all = '';
  for (const part of text.split(/^\$ /m).slice(1)) {
    const [command = '', ...shown] = part.replaceAll('\\\n', '').split('\n');
    const expected = shown.join('\n').trim();
    // A document can show how a command fails. Then the message is compared.
    const printed = expected === '' ? await run(command) : await runUntilEnded(`exec 2>&1\n${command}`, run);
    all += printed;
    if (expected !== '') expect.soft(normalize(printed), command).toMatch(toPattern(expected));
  }
  return all;
}

/** A list of runs is shown when the runs have ended, as a reader who types sees it. */
async function runUntilEnded(
  script: string,
  run: (script: string, mayFail?: boolean) => Promise<string>,
): Promise<string> {
  const until = performance.now() + RUN_ENDS_MS;
  for (;;) {
    const printed = await run(script, true);
    const isEarly = script.includes('dockbell run list') && / (?:queued|running) /.test(printed);
    if (!isEarly || performance.now() > until) return printed;
  }
}

/** Output without what differs in each session: IDs, commits, times, durations, progress, and the width of columns. */
function normalize(text: string): string {
  return text
    .replaceAll(/\b(dlv|run|wh|dbs|tok)_[\w…-]+/g, '$1_ID')
    .replaceAll(/\b(?:[0-9a-f]{40}|[0-9a-f]{12}|[0-9a-f]{7})\b/g, 'COMMIT')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b(?:just now|\d+(?:ms|s|m) ago|\d+(?:\.\d+)?(?:ms|s)\b)/g, 'WHEN')
    .replaceAll(/^Waiting for .*\n/gm, '')
    .replaceAll(/\btest-[0-9a-f]+\b/g, 'test-ID')
    .replaceAll(/\bsha256=[0-9a-f]+/g, 'sha256=HEX')
    .replaceAll(/durationMs=\d+/g, 'durationMs=N')
    .replaceAll('\r', '')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ $/gm, '')
    .trim();
}

/** A line with only `…` stands for any lines, `…` in a line for any characters. */
function toPattern(shown: string): RegExp {
  const lines = normalize(shown)
    .split('\n')
    .map((line) => (line === '…' ? '[\\s\\S]*' : line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')));
  return new RegExp(`^${lines.join('\n')}$`);
}
