import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAdminServer } from '../../src/api/create-admin-server.ts';
import { declareTrigger } from '../../src/core/declare-trigger.ts';
import { AppError } from '../../src/core/errors.ts';
import { SecretValue } from '../../src/core/secret-value.ts';
import { chooseValue } from '../../src/edit/choose-secret.ts';
import { tagAutomation } from '../../src/edit/entity-tag.ts';
import type { EditOrder, FactoryEditor } from '../../src/edit/factory-editor.ts';
import { createFakeAdminServices, makeAutomation, NOW_MS } from '../helpers/admin-services.ts';
import { runCli } from '../helpers/run-cli.ts';

const REVISIONS = ['a1b2c3d4e5', 'a1b2c3d400', '0123456789'].map((start) => start.padEnd(40, '0'));

type Writing = Parameters<FactoryEditor['writeAutomation']>[1] & Pick<EditOrder, 'ifMatch'>;

let written: Writing[];
let created: string[];
let reverted: string[];
let refusal: AppError | null;
let app: ReturnType<typeof createAdminServer>;
let env: Record<string, string>;
let dir: string;
let refuseCreate: () => void;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'dockbell-cli-'));
  [written, created, reverted, refusal] = [[], [], [], null];
  refuseCreate = () => {};
  const { editor } = createFakeAdminServices();
  const services = createFakeAdminServices({
    factorySource: () => ({ type: 'managed', url: null, branch: null, path: null }),
    editor: {
      ...editor,
      createWebhook: async (_order, { name }) => {
        refuseCreate();
        created.push(name);
        return null;
      },
      writeAutomation: async ({ ifMatch }, writing) => {
        if (refusal !== null) throw refusal;
        written.push({ ...writing, ifMatch });
        return writing.mustBeNew;
      },
      revert: async (_order, revision) => void reverted.push(revision),
      history: async () => ({
        data: REVISIONS.map((revision) => {
          const author = { name: '\u001b[31mAda', email: 'ada@example.com' };
          return { revision, author, at: NOW_MS, message: 'Create the webhook ci' };
        }),
        nextCursor: null,
      }),
    },
  });
  app = createAdminServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('manager') };
});

afterEach(async () => {
  await app.close();
  rmSync(dir, { recursive: true, force: true });
});

const run = (argv: string[], stdin = '') => runCli([...argv, '--factory', 'payments'], { env, cwd: dir, stdin });

/** What an editor is asked to write for an automation that stays as it is. */
function declareApplied() {
  const { description, enabled, agent, triggers, prompt, overrides } = makeAutomation();
  return { description, enabled, agent, triggers: triggers.map(declareTrigger), prompt, overrides };
}

describe('a webhook of a factory that the service hosts', () => {
  it('is not asked for with a block that no file may hold', async () => {
    const { code, stderr } = await run([
      ...['webhook', 'create', 'orders', '--auth-mode', 'signature', '--scheme', 'custom'],
      ...['--signature', '{"heder": "X-Signature"}'],
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "header"?')]);
    expect(created).toEqual([]);
  });

  it.each([
    [['webhook', 'create', 'pulls', '--auth-mode', 'signature', '--scheme', 'gihub']],
    [['send', '--to', 'http://127.0.0.1:1/', '--auth-mode', 'signature', '--scheme', 'gihub']],
    [['diagnose', '--request', 'request.json', '--scheme', 'gihub']],
  ])('has a scheme, and a similar one is suggested for %j', async (argv) => {
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/'gihub' is invalid\. Did you mean github\?/)]);
    expect(created).toEqual([]);
  });

  it.each([
    ['signature', [], 'GitHub signs with a secret that you have to provide.', 'Add --with-secret: '],
    ['token', ['--with-secret'], 'The secret of a token webhook is generated. ', 'Omit --with-secret. '],
  ] as const)('is refused in the words of the command line (%s)', async (authMode, options, message, hint) => {
    const secret = options.length === 0 ? null : new SecretValue('typed');
    refuseCreate = () =>
      void chooseValue({ authMode, signatureScheme: 'github', signature: null }, secret, randomBytes);
    const { code, stderr } = await run(['webhook', 'create', 'pulls', ...options], 'typed');
    const [first, second] = stderr.split('\n');
    expect([code, first, second]).toEqual([2, expect.stringContaining(message), expect.stringContaining(hint)]);
    expect(stderr).not.toMatch(/"secret/);
  });

  it('is shown with commands that name its factory', async () => {
    const { stdout } = await run(['webhook', 'show', 'internal-ci']);
    expect(stdout).toContain("dockbell send internal-ci --factory payments --data '");
  });
});

describe('an automation of a factory that the service hosts', () => {
  it('is printed as its file, and written back as it was, on what was read', async () => {
    const { stdout } = await run(['automation', 'show', 'fix-errors', '--as-file']);
    writeFileSync(join(dir, 'automation.md'), stdout);
    const { code } = await run(['automation', 'update', 'fix-errors', '--file', 'automation.md']);
    expect([code, written.length]).toEqual([0, 1]);
    const [{ name, automation, mustBeNew, ifMatch }] = written as [Writing];
    expect([name, mustBeNew, ifMatch]).toEqual(['fix-errors', false, tagAutomation(makeAutomation())]);
    const { prompt, overrides, enabled = true } = automation;
    const applied = declareApplied();
    expect({ prompt, overrides, enabled }).toEqual({
      ...{ prompt: applied.prompt, overrides: applied.overrides, enabled: applied.enabled },
    });
    expect(automation.triggers).toMatchObject(
      applied.triggers.map(({ provider, event }) => (event === undefined ? { provider } : { provider, event })),
    );
  });

  it.each([
    ['enable', true],
    ['disable', false],
  ])('is changed by %s in nothing but its switch', async (verb, enabled) => {
    expect((await run(['automation', verb, 'fix-errors'])).code).toBe(0);
    const { prompt, overrides } = declareApplied();
    expect(written).toMatchObject([
      { name: 'fix-errors', mustBeNew: false, automation: { enabled, prompt, overrides } },
    ]);
    expect(written[0]?.ifMatch).toBe(tagAutomation(makeAutomation()));
  });

  it('is created from standard input', async () => {
    const text = '---\ntriggers:\n  - provider: webhook\n    event: received\nmodel: large\n---\nDo it.\n';
    expect((await run(['automation', 'create', 'fix-errors', '--file', '-'], text)).code).toBe(0);
    const triggers = [{ provider: 'webhook', event: 'received' }];
    expect(written).toMatchObject([
      { mustBeNew: true, automation: { triggers, prompt: 'Do it.\n', overrides: { model: 'large' } } },
    ]);
  });

  it.each([
    ['no front matter', 'standard input:1: ', 'just text'],
    ['broken YAML', 'standard input:3: ', '---\ntriggers: [\n---\nx'],
    ['front matter that is a list', 'standard input:2: ', '---\n- a\n---\nx'],
  ])('is not written from a text with %s, and the place is said', async (_what, place, text) => {
    const { code, stderr } = await run(['automation', 'create', 'x', '--file', '-'], text);
    expect([code, written]).toEqual([1, []]);
    expect(stderr).toContain(place);
  });

  it('that would not be valid is refused with every finding, each in its place', async () => {
    const at = { file: 'automations/late/automation.md', column: 1, endLine: 3, endColumn: 2, path: null, hint: '' };
    const finding = { ...at, severity: 'error', rule: 'automation/unknown-webhook' } as const;
    refusal = new AppError('definition_invalid', 'Nothing was changed: no webhook of this name (and 1 more)', {
      details: {
        diagnostics: [
          { ...finding, line: 3, message: 'no webhook of this name' },
          { ...finding, line: 4, message: 'the filter \u001b[31mis none' },
        ],
      },
    });
    const input = '---\ntriggers: [{ provider: webhook, event: received, filter: { webhooks: [ci] } }]\n---\nDo it.\n';
    const { code, stderr } = await run(['automation', 'create', 'late', '--file', '-'], input);
    expect(code).toBe(1);
    expect(stderr).toContain('automations/late/automation.md:3:1: error no webhook of this name');
    expect(stderr).toContain('automations/late/automation.md:4:1: error the filter \\x1b[31mis none');
  });

  it('is not there to be changed under another name', async () => {
    const { code, stderr } = await run(['automation', 'disable', 'nope']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("has no automation 'nope'")]);
  });
});

describe('the history of a managed factory', () => {
  it('says who changed what, and drives no terminal', async () => {
    const { stdout } = await run(['history']);
    expect(stdout).toContain('a1b2c3d4e500');
    expect(stdout).not.toContain('\u001b[31m');
  });

  it('is gone back in by the whole name of a revision or by its beginning', async () => {
    for (const wanted of [REVISIONS[0]!, 'a1b2c3d4e', '0123456']) {
      expect((await run(['revert', wanted])).code).toBe(0);
    }
    expect(reverted).toEqual([REVISIONS[0], REVISIONS[0], REVISIONS[2]]);
  });

  it.each([
    ['a1b2c3d', 'begins several revisions'],
    ['fffffff', 'is no revision'],
    ['012345', 'is no revision'],
    ['main', 'is no revision'],
  ])('is not gone back in by %s', async (wanted, why) => {
    const { code, stderr } = await run(['revert', wanted]);
    expect([code, reverted]).toEqual([2, []]);
    expect(stderr).toContain(why);
  });
});
