import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_ROLES } from '../../src/domain/access/access.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, type SeededServices } from '../helpers/seeded-services.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
let folder: string;

beforeAll(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), DOCKBELL_FACTORY: 'payments' };
  folder = createTempDir('completion');
  mkdirSync(join(folder, 'a-folder'));
  writeFileSync(join(folder, 'a-file'), '');
  writeFileSync(join(folder, 'dockbell'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(folder, 'dockbell'), 0o755);
});
afterAll(() => app.close());

/** The values that are offered at the end of the words, and the kind of paths. */
async function complete(...words: string[]): Promise<string[]> {
  const { stdout, code } = await runCli(['__complete', '--', ...words], { env, onSleep: () => new Promise(() => {}) });
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]!);
}

describe('completion offers', () => {
  it.each([
    [['sec'], ['secret', ':none']],
    [
      ['webhook', 'cap'],
      ['capture', ':none'],
    ],
    [
      ['help', 'webhook', 'cap'],
      ['capture', ':none'],
    ],
    [
      ['token', 'create', 'ci', '--role', 'v'],
      ['viewer', ':none'],
    ],
    [
      ['token', 'create', 'ci', '--role', '=', 'v'],
      ['viewer', ':none'],
    ],
    [
      ['token', 'create', 'ci', '--role', '='],
      [...TOKEN_ROLES, ':none'],
    ],
    [
      ['token', 'create', 'ci', '--role=o'],
      ['--role=operator', '--role=owner', ':none'],
    ],
    [
      ['validate', '--fo'],
      ['--format', ':none'],
    ],
    [['validate', '--format', 'json', '--fo'], [':none']],
    [['validate', '--', '--fo'], [':files']],
    [['test', '--', '--fo'], [':folders']],
    [['validate', 'one', ''], [':files']],
    [['serve', '--config', ''], [':files']],
    [
      ['webhook', 'list', '--url', 'x', '--to'],
      ['--token-file', '--token', ':none'],
    ],
    [
      ['explain', 'webhook/unsa'],
      ['webhook/unsafe-secret', ':none'],
    ],
    [
      ['schema', 'aut'],
      ['automation', ':none'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', ':none'],
    ],
    [['nosuch', ''], expect.arrayContaining(['init', ':none'])],
    [['webhook', 'nosuch', 'list'], expect.arrayContaining([':none'])],
    [[], expect.arrayContaining(['init', 'completion'])],
  ])('for %j: %j', async (words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });

  it('no hidden command', async () => {
    expect(await complete('__')).toEqual([':none']);
    expect((await runCli(['--help'])).stdout).not.toContain('__complete');
  });

  it.each([
    [['webhook', 'show', ''], 'internal-ci'],
    [['delivery', 'list', 'inte'], 'internal-ci'],
    [['status', '--factory', 'pay'], 'payments'],
    [['automation', 'show', ''], 'fix-errors'],
  ])('names of the running daemon for %j: %s', async (words, name) => {
    expect(await complete(...words)).toContain(name);
  });

  it('no existing name for a new object', async () => {
    expect(await complete('webhook', 'create', '')).toEqual([':none']);
    expect(await complete('secret', 'create', '')).toEqual([':none']);
  });

  it('no name and no error if no daemon answers, or not in time', async () => {
    const words = ['__complete', '--', 'webhook', 'show', ''];
    const unreachable = await runCli(words, { env: { ...env, DOCKBELL_URL: 'http://127.0.0.1:1' } });
    expect([unreachable.code, unreachable.stdout, unreachable.stderr]).toEqual([0, ':none\n', '']);
    const late = await runCli(words, { env, onSleep: async () => {} });
    expect([late.code, late.stdout]).toEqual([0, ':none\n']);
  });
});

/** Runs a script in a shell that finds the built program and the daemon. Returns the lines that it prints. */
async function runShell(shell: string, args: string[]): Promise<string[]> {
  const path = `${folder}${delimiter}${process.env.PATH}`;
  const surroundings = { ...env, PATH: path, HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  const child = spawn(shell, args, {
    cwd: folder,
    env: surroundings,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  await once(child, 'close');
  return Buffer.concat(printed)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

describe('the script of bash', () => {
  /** What Tab offers, as bash itself computes it for `compgen -F` with these words. */
  const offer = (...words: string[]) =>
    runShell('bash', [
      '--noprofile',
      '--norc',
      '-c',
      `source <(dockbell completion bash)
       COMP_WORDS=(dockbell ${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length}
       _dockbell dockbell
       printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);

  it('offers subcommands, values and names', async () => {
    expect(await offer('webh')).toEqual(['webhook']);
    expect(await offer('token', 'create', 'ci', '--role', '=', 'v')).toEqual(['viewer']);
    expect(await offer('webhook', 'show', '')).toContain('internal-ci');
  });

  it('is loaded for dockbell, and offers files if nothing else fits', { tags: 'full' }, async () => {
    expect(await runShell('bash', ['-c', 'source <(dockbell completion bash); complete -p dockbell'])).toEqual([
      'complete -o default -F _dockbell dockbell',
    ]);
  });
});

describe.runIf(hasProgram('zsh'))('the script of zsh', () => {
  /** Types the words and Tab in an interactive shell on a pseudo terminal. Returns what it shows up to `expected`. */
  const press = async (typed: string, expected: string, load: string) => {
    const printed = await runShell('zsh', [
      '-f',
      '-c',
      `zmodload zsh/zpty
       zpty shell zsh -f -i
       zpty -w shell 'PS1=; autoload -Uz compinit; ${load}; echo rea"dy"'
       zpty -r -m shell shown '*ready*'
       zpty -w -n shell $'${typed}\\t'
       zpty -r -m shell shown '*${expected}*'
       print -r -- $shown`,
    ]);
    return printed.join('\n');
  };
  const sourced = 'compinit -u -D; source <(dockbell completion zsh)';
  const autoloaded = 'dockbell completion zsh > _dockbell; fpath=($PWD $fpath); compinit -u -D';

  it.each([
    ['sourced', sourced, 'dockbell compl', 'dockbell completion'],
    ['sourced', sourced, 'dockbell webhook show int', 'dockbell webhook show internal-ci'],
    ['in a folder of $fpath', autoloaded, 'dockbell token create ci --role=v', '--role=viewer'],
  ])('%s completes words and names: %s', async (_how, load, typed, expected) => {
    expect(await press(typed, expected, load)).toContain(expected);
  });
});

describe.runIf(hasProgram('fish'))('the script of fish', () => {
  const offer = (line: string) =>
    runShell('fish', ['--no-config', '-c', `dockbell completion fish | source; complete -C '${line}'`]);

  it('offers subcommands with descriptions, values, names, files and folders', async () => {
    expect(await offer('dockbell webh')).toEqual(['webhook\tthe live webhooks of a factory']);
    expect(await offer('dockbell token create ci --role=v')).toEqual(['--role=viewer']);
    expect(await offer('dockbell webhook show ')).toContain('internal-ci');
    expect(await offer('dockbell serve --config a-')).toEqual(['a-file', 'a-folder/']);
    expect(await offer('dockbell validate a-')).toEqual(['a-folder/\tDirectory']);
    expect(await offer('dockbell ')).not.toContain('a-file');
  });
});
