import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { RULES, type RuleId } from '../../src/domain/rules.ts';
import { builtFile } from '../../src/platform/files/package-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runTestGit } from '../helpers/temp-git-repo.ts';
import { signAsGitHub } from '../providers/senders.ts';

let dir: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'dockbell-cli-')));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (argv: string[], more: Parameters<typeof runCli>[1] = {}) => runCli(argv, { cwd: dir, ...more });

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

const RULE_IDS = Object.keys(RULES) as RuleId[];

const git = (...args: string[]) => runTestGit(dir, args);

const WEBHOOK = 'authMode: token\nsecretName: CI_SECRET\n';
const AUTOMATION = `---
triggers:
  - provider: webhook
    event: received
    filter: {webhooks: [ci], payload: {level: [fatal]}}
---
Look into it.
`;

describe('explain', () => {
  it('prints the reason for a rule, a wrong example, a right one, and how to change its severity', async () => {
    const { stdout, code } = await run(['explain', 'webhook/no-delivery-id']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^webhook\/no-delivery-id\nDeliveries of a webhook can be distinguished only by their bodies\.\n/,
    );
    expect(stdout).toMatch(/\nWrong:\n[\s\S]*\nRight:\n[\s\S]* {4}deliveryIdHeader: X-Event-Id\n/);
    expect(stdout).toContain('\nChange the severity:\n\n  factory.yaml\n');
  });

  it.each([
    ['a sentence with a link', 'secret/missing', [null]],
    ['files', 'automation/key-not-served', ['automations/triage/automation.md']],
  ] as const)('prints %s without Markdown, and as JSON', async (_what, rule, files) => {
    const { stdout } = await run(['explain', rule]);
    expect(stdout.replaceAll(/^ {4}.*$/gm, '')).not.toMatch(/\]\(|\*\*|```/);
    const shown = JSON.parse((await run(['explain', rule, '--json'])).stdout);
    const { severity, isLint, description } = RULES[rule];
    expect(shown).toMatchObject({ rule, severity, lint: isLint, description, why: expect.stringMatching(/\.$/) });
    expect(shown.wrong.map(({ file }: { file: string | null }) => file)).toEqual(files);
    expect(shown.right[0].text).not.toBe('');
  });

  it('lists all rules, also as JSON', async () => {
    const { stdout } = await run(['explain']);
    expect(stdout).toMatch(/^RULE +DEFAULT +CAN CHANGE +WHEN\n/);
    const rows = stdout.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(' ')[0])).toEqual(RULE_IDS);
    const { data } = JSON.parse((await run(['explain', '--json'])).stdout);
    expect(data.map(({ rule }: { rule: string }) => rule)).toEqual(RULE_IDS);
  });

  it.each([
    ['webhook/unknown-kye', 'Did you mean webhook/unknown-key?'],
    ['unknown-key', 'Did you mean webhook/unknown-key, automation/unknown-key, sample/unknown-key?'],
    ['nothing', "'dockbell explain' lists the rules."],
  ])('reports that %s is not a rule, with the nearest IDs', async (name, hint) => {
    const { stdout, stderr, code } = await run(['explain', name]);
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toMatch(`'${name}' is not a rule.\n`);
    expect(stderr).toContain(hint);
  });
});

describe('init', () => {
  it('names the files that are read only at the root of a repository', async () => {
    await git('init', '-q');
    const below = await run(['init', 'factories/pay']);
    expect(below.stdout).toContain('.github/workflows/dockbell.yaml and .pre-commit-config.yaml are read only there');
    expect(below.stdout).toContain("'dockbell validate --strict -- factories/pay'");
    expect((await run(['init'])).stdout).not.toContain('would be read');
  });

  it.runIf(process.platform === 'linux')('ends with a message if no folder can be created', async () => {
    const made = await run(['init', '/proc/dockbell/payments']);
    expect([made.code, made.stderr]).toEqual([2, expect.stringContaining('/proc/dockbell/payments')]);
    expect(made.stderr).toContain('no folders can be created there; choose another folder');
  });

  it('creates a factory that validates without warnings', async () => {
    const made = await run(['init', 'payments']);
    expect(made.code).toBe(0);
    const checked = await run(['validate', 'payments', '--strict', '--format', 'json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      valid: true,
      diagnostics: [],
      webhooks: ['internal-ci'],
      automations: ['triage-ci-failure'],
    });
    expect(checked.code).toBe(0);
  });

  it('writes a configuration that executes the runs of the factory', async () => {
    await run(['init', 'My Payments']);
    const folder = join(dir, 'My Payments');
    const config = await loadConfig({ file: join(folder, 'dockbell.yaml'), env: {} });
    expect(config.factories).toMatchObject([
      { name: 'my-payments', source: { url: folder }, runs: { executor: { type: 'command' } } },
    ]);
    expect((await stat(join(folder, 'agent.sh'))).mode & 0o111).toBe(0o111);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('/.dockbell/');
  });

  it('writes no file that downloads anything', async () => {
    await run(['init', 'payments', '--json']);
    for (const path of ['README.md', '.pre-commit-config.yaml', '.github/workflows/dockbell.yaml']) {
      expect(await readFile(join(dir, 'payments', path), 'utf8')).not.toMatch(/npx|dockbell@\d/);
    }
  });

  it('writes the commit of the build, not that of the working tree, to the pipeline', async () => {
    const { commit } = JSON.parse(await readFile(builtFile('build.json'), 'utf8')) as { commit: string };
    await run(['init', 'payments']);
    const pipeline = await readFile(join(dir, 'payments/.github/workflows/dockbell.yaml'), 'utf8');
    expect(/DOCKBELL_COMMIT: "(.*)"/.exec(pipeline)![1]).toBe(commit.endsWith('-dirty') ? '' : commit);
  });

  it('writes the schemas to the paths in the comments for editors', async () => {
    await run(['init']);
    for (const path of ['factory.yaml', 'webhooks/internal-ci.yaml', 'automations/triage-ci-failure/automation.md']) {
      const schema = /yaml-language-server: \$schema=(\S+)/.exec(await readFile(join(dir, path), 'utf8'))![1]!;
      expect(JSON.parse(await readFile(join(dir, dirname(path), schema), 'utf8')).$schema).toContain(
        'json-schema.org/draft',
      );
    }
  });

  it('never overwrites: it lists the existing files, writes nothing and returns 1', async () => {
    await write('README.md', 'mine');
    const { code, stdout, stderr } = await run(['init']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('\n  README.md\n');
    expect(await readFile(join(dir, 'README.md'), 'utf8')).toBe('mine');
    await expect(readFile(join(dir, 'factory.yaml'))).rejects.toThrow('ENOENT');
  });

  it('lists the files it made as JSON', async () => {
    const { code, stdout } = await run(['init', 'payments', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      root: join(dir, 'payments'),
      files: expect.arrayContaining(['factory.yaml']),
    });
  });

  it('overwrites with --force', async () => {
    await write('README.md', 'mine');
    expect((await run(['init', '--force'])).code).toBe(0);
    expect(await readFile(join(dir, 'README.md'), 'utf8')).not.toBe('mine');
  });

  it('quotes a folder name that YAML parses as another type', async () => {
    expect((await run(['init', '1e3: "x'])).code).toBe(0);
    expect((await run(['validate', '1e3: "x', '--strict'])).code).toBe(0);
  });
});

describe('version', () => {
  it('is that of the package, with its build, Node.js, SQLite and the system', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const { platform: os, arch } = process;
    const printed = JSON.parse((await run(['version', '-o', 'json'])).stdout);
    const { commit, builtAt } = JSON.parse(await readFile(builtFile('build.json'), 'utf8'));
    const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
    expect(commit).toMatch(/^[0-9a-f]{40}(-dirty)?$/);
    expect(new Date(builtAt).toISOString()).toBe(builtAt);
    expect(printed).toEqual({ version, commit, built_at: builtAt, node: process.versions.node, sqlite, os, arch });
    const text = (await run(['version'])).stdout;
    expect(text.split('\n')[0]).toMatch(new RegExp(`^Dockbell: +${version.replaceAll('.', '\\.')}$`));
    expect(text).toMatch(/^Commit: .+\nBuilt: .+\nNode\.js: .+\nSQLite: .+\nSystem: .+\n$/m);
  });
});

describe('config check', () => {
  it('prints every error of the configuration with its place, and starts nothing', async () => {
    await write('dockbell.yaml', 'ingres: {port: 1}\nadmin: {port: x}\n');
    const wrong = await run(['config', 'check']);
    expect(wrong).toMatchObject({ code: 1, stderr: '' });
    expect(wrong.stdout).toContain('The configuration has 2 errors:\ndockbell.yaml:1:1: unknown key "ingres".');
    expect(wrong.stdout).toContain('dockbell.yaml:2:15: admin.port must be a whole number');
    const report = JSON.parse((await run(['config', 'check', '--json'])).stdout);
    expect(report).toMatchObject({ valid: false, file: join(dir, 'dockbell.yaml') });
    expect(report.problems.map(({ path }: { path: string }) => path)).toEqual(['ingres', 'admin.port']);
  });

  it('rejects a target whose address is not allowed, with which the daemon starts', async () => {
    const target = '{ name: x, type: webhook, secretName: A, url: "https://127.0.0.1/" }';
    await write('dockbell.yaml', `alerts:\n  targets: [${target}]\n`);
    const message =
      'dockbell.yaml:2:59: alerts.targets[0].url cannot be used: the address 127.0.0.1 is private or reserved.';
    const checked = await run(['config', 'check']);
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining(message) });
    expect(checked.stdout).toContain('The daemon starts with this configuration, but a part of it never works:');
  });

  it('reads the variables of the environment, and ends with 0 if everything is valid', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a variable
    await write('etc/d.yaml', 'dataDir: ${STATE}\n');
    const env = { STATE: '/var/lib/dockbell' };
    const valid = await run(['config', 'check', 'etc/d.yaml'], { env });
    expect(valid).toMatchObject({ code: 0, stdout: `Valid: ${join(dir, 'etc/d.yaml')}\n`, stderr: '' });
    expect((await run(['config', 'check', 'etc/d.yaml'])).code).toBe(1);
    const overridden = await run(['config', 'check', 'etc/d.yaml'], { env: { ...env, DOCKBELL_INGRESS_PORT: 'x' } });
    expect(overridden).toMatchObject({ code: 1, stdout: expect.stringContaining('DOCKBELL_INGRESS_PORT') });
    expect(await run(['config', 'check', 'none.yaml'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('none.yaml cannot be read: the file does not exist'),
    });
  });
});

describe('schema', () => {
  it('lists the schemas, prints one byte for byte, and writes copies', async () => {
    const names = ['webhook', 'automation', 'factory', 'config'];
    const listed = JSON.parse((await run(['schema', '--json'])).stdout).data as { name: string; title: string }[];
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    for (const name of names) {
      const file = await readFile(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
      expect((await run(['schema', name])).stdout).toBe(file);
      await write(`schemas/${name}.schema.json`, 'old');
    }
    expect((await run(['schema'])).stdout).toMatch(/^webhook: +\S/m);
    expect((await run(['schema', '--dir', 'schemas'])).code).toBe(0);
    expect(JSON.parse(await readFile(join(dir, 'schemas/config.schema.json'), 'utf8')).title).toBeTruthy();
    expect((await run(['schema', 'webhook', '--dir', 'one'])).stdout).toBe(`${join(dir, 'one/webhook.schema.json')}\n`);
    await expect(readFile(join(dir, 'one/factory.schema.json'))).rejects.toThrow('ENOENT');
  });

  it('returns 2 for an unknown schema and for a folder that cannot be created', async () => {
    expect(await run(['schema', 'payload'])).toMatchObject({ code: 2, stdout: '' });
    await write('file', '');
    expect((await run(['schema', '--dir', 'file'])).stderr).toMatch(/^\S+webhook\.schema\.json cannot be written/);
  });
});

describe('validate', () => {
  it('returns 0 and a summary for a valid definition', async () => {
    await write('webhooks/ci.yaml', WEBHOOK);
    expect(await run(['validate'])).toMatchObject({ code: 0, stdout: 'Valid: 1 webhook, 0 automations.\n' });
  });

  it('returns 1 and quotes the invalid line', async () => {
    await write('webhooks/ci.yaml', 'authmode: token\nsecretName: CI_SECRET\n');
    const { code, stdout } = await run(['validate']);
    expect(code).toBe(1);
    expect(stdout).toContain('webhooks/ci.yaml:1:1');
    expect(stdout).toContain('1 | authmode: token');
    expect(stdout).toMatch(/Invalid: 1 webhook, 0 automations\.\n$/);
  });

  it('prints the document of the interfaces as JSON, paths relative to the root of the repository', async () => {
    await git('init', '-q');
    await write('factories/a/webhooks/ci.yaml', 'authmode: token\nsecretName: CI_SECRET\n');
    const { code, stdout } = await run(['validate', 'factories/a', '--format', 'json']);
    const document = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(document).toMatchObject({ valid: false, root: dir, webhooks: ['ci'], automations: [] });
    expect(document.diagnostics[0]).toMatchObject({
      severity: 'error',
      rule: 'webhook/unknown-key',
      file: 'factories/a/webhooks/ci.yaml',
      line: 1,
      column: 1,
      path: 'authmode',
    });
  });

  it('accepts warnings, and fails on them with --strict', async () => {
    await write('webhooks/ci.yaml', WEBHOOK);
    await write('webhooks/README', 'odd');
    await write('webhooks/odd.json', '{}');
    expect((await run(['validate'])).code).toBe(0);
    const strict = await run(['validate', '--strict']);
    expect(strict.code).toBe(1);
    expect(strict.stdout).toContain('warnings fail with --strict');
    for (const [argv, code] of [
      [['validate', '--json'], 0],
      [['validate', '--strict', '--json'], 1],
    ] as const) {
      const json = await run([...argv]);
      expect(json.code).toBe(code);
      expect(JSON.parse(json.stdout)).toMatchObject({ valid: code === 0, diagnostics: [{ severity: 'warning' }] });
    }
  });

  it('reports names that differ only in case, and misspelt folders, with their place', async () => {
    await write('webhooks/CI.yaml', WEBHOOK);
    await write('webhooks/ci.yaml', WEBHOOK);
    await write('Automations/triage/automation.md', AUTOMATION);
    await write('factory.yml', '');
    const { code, stdout } = await run(['validate', '--format', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { file: 'Automations/triage/automation.md', rule: 'tree/wrong-case' },
      { file: 'factory.yml', rule: 'file/wrong-extension' },
      { file: 'webhooks/ci.yaml', rule: 'webhook/name-collision' },
    ]);
  });

  it('reports a name that cannot be shown under its escaped path, and every other finding', async () => {
    await git('init', '-q');
    await write('factory/webhooks/a\u001b[2J.yaml', WEBHOOK);
    await write('factory/webhooks/b.yaml', 'authMode: token\n');
    const { code, stdout, stderr } = await run(['validate', 'factory', '--format', 'json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      root: dir,
      diagnostics: [
        { rule: 'tree/odd-name', file: 'factory/webhooks/a\\x1b[2J.yaml' },
        { rule: 'webhook/missing-key', file: 'factory/webhooks/b.yaml' },
      ],
    });
  });

  it('reads a revision instead of the files on disk', async () => {
    await git('init', '-q');
    await write('webhooks/ci.yaml', WEBHOOK);
    await git('add', '.');
    await git('commit', '-qm', 'one');
    await write('webhooks/ci.yaml', 'broken: [');
    expect((await run(['validate'])).code).toBe(1);
    expect((await run(['validate', '--rev', 'HEAD'])).code).toBe(0);
    const unknown = await run(['validate', '--rev', 'nope']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/^The repository has no commit "nope"\.\nSpecify a branch, a tag or a commit/);
  });

  it('joins several factories in one report', async () => {
    await git('init', '-q');
    await write('a/webhooks/ci.yaml', WEBHOOK);
    await write('b/webhooks/ci.yaml', 'authmode: token\nsecretName: CI_SECRET\n');
    const { code, stdout } = await run(['validate', 'a', 'b', './a/', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      root: dir,
      webhooks: ['ci'],
      diagnostics: [{ file: 'b/webhooks/ci.yaml' }],
      factories: [
        { dir: 'a', valid: true, diagnostics: [] },
        { dir: 'b', valid: false, diagnostics: [{ file: 'b/webhooks/ci.yaml' }] },
      ],
    });
    const pretty = await run(['validate', 'a', 'b']);
    expect(pretty.stdout).toContain('1 | authmode: token');
    expect(pretty.stdout).toMatch(/Invalid: 2 webhooks, 0 automations in 2 factories\.\n$/);
  });

  it('joins folders of different repositories with paths from their common folder', async () => {
    await write('one/sub/webhooks/ci.yaml', 'authmode: token\nsecretName: CI_SECRET\n');
    await write('one-more/webhooks/ci.yaml', 'authmode: token\nsecretName: CI_SECRET\n');
    await git('init', '-q', join(dir, 'one'));
    const { stdout } = await run(['validate', 'one/sub', 'one-more', '--json']);
    const { root, diagnostics, factories } = JSON.parse(stdout);
    expect(root).toBe(dir);
    expect(diagnostics.map(({ file }: { file: string }) => file)).toEqual([
      'one/sub/webhooks/ci.yaml',
      'one-more/webhooks/ci.yaml',
    ]);
    expect(factories).toMatchObject([{ dir: 'one/sub' }, { dir: 'one-more' }]);
    expect((await run(['validate', 'one/sub', 'one-more'])).stdout.match(/1 \| authmode: token/g)).toHaveLength(2);
  });

  it.each([
    ['github', /^::error file=webhooks\/ci\.yaml,line=1,col=1,title=webhook\/unknown-key::.*\nInvalid: /],
    ['gitlab', /^\[\n {2}\{\n {4}"description"/],
    ['sarif', /"uri": "webhooks\/ci\.yaml"/],
    ['junit', /<testcase classname="\." name="webhooks\/ok\.yaml" file="webhooks\/ok\.yaml" time="0"\/>/],
  ])('prints the form %s for other programs', async (format, expected) => {
    await write('webhooks/ci.yaml', 'authmode: token\nsecretName: CI_SECRET\n');
    await write('webhooks/ok.yaml', WEBHOOK);
    const { code, stdout } = await run(['validate', '--format', format]);
    expect(code).toBe(1);
    expect(stdout).toMatch(expected);
  });

  it('returns 2 for a folder without a factory, and reports it in every format', async () => {
    await write('a/webhooks/ci.yaml', WEBHOOK);
    await mkdir(join(dir, 'empty'));
    for (const format of ['pretty', 'json', 'github', 'gitlab', 'sarif', 'junit']) {
      const { code, stdout } = await run(['validate', 'a', 'empty', '--format', format]);
      expect([format, code]).toEqual([format, 2]);
      expect(stdout).toContain('No factory definition found');
      expect(stdout).toContain('empty/');
    }
  });

  it('suggests factories below a folder without one, or the one above it', async () => {
    await write('factories/pay/factory.yaml', 'schemaVersion: v1alpha1\nname: pay\n');
    await write('factories/search/webhooks/ci.yaml', WEBHOOK);
    await write('factories/search/automations/triage/automation.md', AUTOMATION);
    await write('node_modules/other/factory.yaml', 'schemaVersion: v1alpha1\nname: other\n');
    await mkdir(join(dir, 'empty'));
    const hintOf = async (folder: string) =>
      JSON.parse((await run(['validate', folder, '--json'])).stdout).diagnostics[0].hint;
    expect(await hintOf('.')).toBe('Specify the folder of the factory: factories/pay, factories/search.');
    const search = join(dir, 'factories', 'search');
    expect(await hintOf('factories/search/webhooks')).toBe(
      `The folder is part of the factory ${search}: specify that folder.`,
    );
    expect(await hintOf('factories/search/automations/triage')).toContain(`factory ${search}:`);
    expect(await hintOf('empty')).toBe('Specify the folder of the factory, or run "dockbell init" to create one.');
  });

  it('checks the factory that contains a file, once for all its files', async () => {
    await write('pay/webhooks/ci.yaml', WEBHOOK);
    await write('pay/automations/a.md', 'No front matter.');
    await write('search/factory.yaml', 'schemaVersion: v1alpha1\nname: search\n');
    const { code, stdout } = await run([
      'validate',
      'pay/webhooks/ci.yaml',
      'pay/automations/a.md',
      'search/factory.yaml',
    ]);
    expect(code).toBe(1);
    expect(stdout.match(/front-matter\/missing/g)).toHaveLength(1);
    expect((await run(['validate', 'pay/webhooks/ci.yaml', '--json'])).stdout).toContain('"front-matter/missing"');
    expect((await run(['validate', 'search/factory.yaml'])).code).toBe(0);
  });

  it('names a folder that is almost one of a definition, unless the right one exists', async () => {
    await write('webhook/ci.yaml', WEBHOOK);
    await write('Automation/a.md', '');
    await write('benchmarks/a/suite.yaml', '');
    await write('scorers/a/scorer.md', '');
    const none = await run(['validate', '--json']);
    const found = JSON.parse(none.stdout).diagnostics;
    expect(found.map(({ rule, file }: { rule: string; file: string }) => `${rule} ${file}`)).toEqual([
      'factory/not-found ',
      'tree/similar-folder Automation',
      'tree/similar-folder webhook',
    ]);
    await write('factory.yaml', 'schemaVersion: v1alpha1\nname: a\n');
    const factory = await run(['validate']);
    expect(factory.code).toBe(0);
    expect(factory.stdout).toMatch(/The folder webhook\/ is ignored\. .*webhooks\/, which does not exist/);
    await write('webhooks/ci.yaml', WEBHOOK);
    await write('automations/README.md', '');
    expect((await run(['validate', '--strict'])).code).toBe(0);
  });

  it.each(['.', 'sub/factory'])('names such a folder of a revision, too, in %s', async (folder) => {
    await git('init', '-q');
    await write(`${folder}/factory.yaml`, 'schemaVersion: v1alpha1\nname: a\n');
    await write(`${folder}/webhook/ci.yaml`, WEBHOOK);
    await git('add', '.');
    await git('commit', '-qm', 'one');
    const { code, stdout } = await run(['validate', folder, '--rev', 'HEAD', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { rule: 'tree/similar-folder', file: folder === '.' ? 'webhook' : 'sub/factory/webhook' },
    ]);
  });

  it('returns 2 for a file that is in no factory', async () => {
    await write('elsewhere/ci.yaml', WEBHOOK);
    const { code, stderr } = await run(['validate', 'elsewhere/ci.yaml']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^".*ci\.yaml" is not a folder\.\nSpecify the folder of the factory/);
  });

  it('returns 2 for "-", which is not a folder', async () => {
    const { code, stdout, stderr } = await run(['validate', '-']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^"-" is not a folder: .*\nSpecify the folders/);
  });

  it('returns 2 for a folder that does not exist', async () => {
    const { code, stdout, stderr } = await run(['validate', 'nowhere']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^The folder .*nowhere/);
  });
});

describe('test', () => {
  const sample = (body: unknown, starts?: string[]) => JSON.stringify({ body, starts });

  beforeEach(async () => {
    await write('webhooks/ci.yaml', WEBHOOK);
    await write('automations/triage/automation.md', AUTOMATION);
  });

  it('returns 0 if every sample starts what it lists', async () => {
    await write('webhooks/ci.samples/fatal.json', sample({ level: 'fatal' }, ['triage']));
    await write('webhooks/ci.samples/other.json', sample({ level: 'error' }, []));
    const { code, stdout } = await run(['test']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'ci\n  ✓ fatal: starts triage\n  ✓ other: starts nothing\n\n2 samples: 2 passed.\n',
    });
  });

  it('returns 1 and the key that decided if a sample does not start what it lists', async () => {
    await write('webhooks/ci.samples/a.json', sample({ level: 'error' }, ['triage']));
    const { code, stdout } = await run(['test']);
    expect(code).toBe(1);
    expect(stdout).toContain('but does not start: level is "error", expected "fatal"');
    expect((await run(['test', '--json'])).code).toBe(1);
    expect((await run(['test', '--format', 'junit'])).stdout).toContain('<failure message="triage is listed');
  });

  it('returns 1 for a sample that validate only warns about', async () => {
    await write('webhooks/ci.samples/a.json', '{"body": 1,}');
    expect((await run(['validate'])).code).toBe(0);
    expect((await run(['validate', '--strict'])).code).toBe(1);
    const { code, stdout } = await run(['test']);
    expect(code).toBe(1);
    expect(stdout).toContain('webhooks/ci.samples/a.json:1:12');
    expect(stdout).toContain('1 | {"body": 1,}');
  });

  it('reports that no samples exist, and returns 0', async () => {
    const { code, stdout } = await run(['test']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No samples found\. /);
  });

  it('returns 2 in a folder without a factory', async () => {
    await mkdir(join(dir, 'empty'));
    const { code, stdout } = await run(['test', 'empty']);
    expect(code).toBe(2);
    expect(stdout).toContain('No factory definition found');
  });

  it('evaluates the samples of one webhook, and rejects an unknown webhook', async () => {
    await write('webhooks/ci.samples/a.json', sample({}, ['triage']));
    await write('webhooks/other.yaml', WEBHOOK);
    expect((await run(['test', '--webhook', 'other'])).code).toBe(0);
    expect((await run(['test', '--webhook', 'ci'])).code).toBe(1);
    const unknown = await run(['test', '--webhook', 'nope']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('It has: ci, other.');
  });

  it('reads a revision instead of the files on disk', async () => {
    await git('init', '-q');
    await write('webhooks/ci.samples/a.json', sample({ level: 'fatal' }, ['triage']));
    await git('add', '.');
    await git('commit', '-qm', 'one');
    await write('webhooks/ci.samples/a.json', sample({ level: 'fatal' }, []));
    expect((await run(['test'])).code).toBe(1);
    expect((await run(['test', '--rev', 'HEAD'])).code).toBe(0);
    expect((await run(['test', '--rev', 'nope'])).code).toBe(2);
  });

  it.each([
    ['example-factory', ['github', 'internal-ci', 'uptime']],
    ['example-factory/payments', ['github']],
  ])('passes for every webhook of %s', async (path, webhooks) => {
    const folder = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const { code, stdout } = await run(['test', folder, '--json']);
    expect(code).toBe(0);
    const { samples } = JSON.parse(stdout) as { samples: { webhook: string; outcome: string }[] };
    expect(new Set(samples.map(({ webhook }) => webhook))).toEqual(new Set(webhooks));
    expect(new Set(samples.map(({ outcome }) => outcome))).toEqual(new Set(['passed']));
  });
});

describe('filter test', () => {
  beforeEach(async () => {
    await write('webhooks/ci.yaml', WEBHOOK);
    await write('automations/triage/automation.md', AUTOMATION);
    await write('filter.yaml', 'level: [fatal]\n');
    await write('fatal.json', '{"level": "fatal"}');
    await write('error.json', '{"level": "error"}');
  });

  it.each([
    [['--filter', 'filter.yaml', '--payload', 'fatal.json'], 0, /^Would trigger\n/],
    [['--filter', 'filter.yaml', '--payload', 'error.json'], 1, /^Would not trigger\nDecided by: level\n/],
    [['--automation', 'triage', '--payload', 'fatal.json'], 0, /^Would trigger\n/],
    [['--automation', 'triage', '--dir', '.', '--payload', 'error.json'], 1, /^Would not trigger\nDecided by: level\n/],
  ])('%j needs no daemon', async (argv, code, text) => {
    const result = await run(['filter', 'test', ...argv]);
    expect(result).toMatchObject({ code, stderr: '' });
    expect(result.stdout).toMatch(text);
  });

  it('tests headers that are given as options', async () => {
    await write('headers.yaml', 'X-Event: [push]\n');
    const argv = ['filter', 'test', '--headers-filter', 'headers.yaml', '--payload', 'fatal.json'];
    const [no, yes] = [await run(argv), await run([...argv, '--header', 'x-event: push'])];
    expect([no.code, yes.code]).toEqual([1, 0]);
    expect(no.stdout).toContain('Decided by: header x-event');
    expect((await run([...argv, '--header', 'push'])).stderr).toContain('has no name and value');
  });

  it('reads a payload from standard input', async () => {
    const argv = ['filter', 'test', '--filter', 'filter.yaml', '--payload', '-', '--json'];
    const { code, stdout } = await run(argv, { stdin: '{"level": "fatal"}' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'Would trigger', trace: [{ path: 'level', matched: true }] });
  });

  it.each([
    ['an invalid filter', '{"level": []}', 'fatal.json', 'The filter is invalid'],
    ['a filter in no known form', '{"level": [', 'fatal.json', 'neither valid JSON nor valid YAML'],
    [
      'a filter with a key written twice',
      'a: [1]\na: [2]',
      'fatal.json',
      'given.json:2:1: The key "a" is written twice',
    ],
    ['a payload that is not JSON', '{}', 'filter.yaml', 'filter.yaml is not valid JSON.'],
    ['a payload that is not there', '{}', 'nope.json', 'nope.json cannot be read: the file does not exist.'],
  ])('returns 2 for %s', async (_, filter, payload, sentence) => {
    await write('given.json', filter);
    const { code, stdout, stderr } = await run(['filter', 'test', '--filter', 'given.json', '--payload', payload]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it('returns 1 for an unknown automation, and lists the known ones', async () => {
    const argv = ['filter', 'test', '--automation', 'nope', '--dir', '.', '--payload', 'fatal.json'];
    const { code, stderr } = await run(argv);
    expect(code).toBe(1);
    expect(stderr).toContain('It has: triage.');
  });

  it('does not trigger for an automation that is disabled', async () => {
    await write('automations/triage/automation.md', AUTOMATION.replace('---\n', '---\nenabled: false\n'));
    const { code, stdout } = await run(['filter', 'test', '--automation', 'triage', '--payload', 'fatal.json']);
    expect(code).toBe(1);
    expect(stdout).toContain('The automation triage is disabled.');
  });
});

describe('send --to', () => {
  const SECRET = 'it is a secret to everybody';

  /** A receiver that keeps what it got. */
  async function receive(status: number) {
    const requests: { url: string; headers: Record<string, string>; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      requests.push({ url: request.url!, headers: request.headers as Record<string, string>, body });
      response.writeHead(status).end('{"delivery_id":"x"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/w/wh_x`;
    return { url, requests, close: () => new Promise((resolve) => server.close(resolve)) };
  }

  it('signs as GitHub does and posts without a daemon', async () => {
    const receiver = await receive(202);
    await write('secret', `${SECRET}\n`);
    const options = ['--auth-mode', 'signature', '--scheme', 'github', '--secret-file', 'secret'];
    const { code, stdout } = await run([
      'send',
      '--to',
      receiver.url,
      ...options,
      '--data',
      '{"a":1}',
      '--delivery-id',
      'd-1',
    ]);
    await receiver.close();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '202 {"delivery_id":"x"}\n' });
    expect(receiver.requests).toMatchObject([
      {
        body: '{"a":1}',
        headers: { 'x-hub-signature-256': await signAsGitHub(SECRET, '{"a":1}'), 'x-github-delivery': 'd-1' },
      },
    ]);
  });

  it('reads the secret from the environment or standard input and never prints it', async () => {
    const receiver = await receive(401);
    const argv = ['send', '--to', receiver.url, '--data', '1'];
    const first = await run(argv, { env: { DOCKBELL_SEND_SECRET: 'canary-1' } });
    const second = await run([...argv, '--secret-stdin', '--auth-mode', 'url_token'], { stdin: 'canary-2\n' });
    await receiver.close();
    expect([first.code, second.code]).toEqual([1, 1]);
    expect(receiver.requests[0]!.headers.authorization).toBe('Bearer canary-1');
    expect(receiver.requests[1]!.url).toBe('/webhooks/w/wh_x/canary-2');
    expect(first.stdout + first.stderr + second.stdout + second.stderr).not.toContain('canary');
  });

  it('returns 3 if nothing listens at the address, without printing the secret in the URL', async () => {
    const env = { DOCKBELL_SEND_SECRET: 'canary-3' };
    const { code, stderr } = await run(
      ['send', '--to', 'http://127.0.0.1:1/webhooks/w/x', '--auth-mode', 'url_token'],
      { env },
    );
    expect(code).toBe(3);
    expect(stderr).toContain('http://127.0.0.1:1');
    expect(stderr).not.toContain('canary');
  });
});
