import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { AppliedAutomation } from '../../src/domain/resources/automation.ts';
import { tagAutomation } from '../../src/reconcile/edit/entity-tag.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, NOW_MS, type SeededServices } from '../helpers/seeded-services.ts';

type WriteAutomation = SeededServices['editor']['writeAutomation'];

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
let dir: string;

/** A daemon that hosts the factory `payments` and has taken over what the factory's repository made live. */
async function serve(source: 'live' | 'managed', change: () => void = () => undefined): Promise<void> {
  services = createSeededServices({}, { source });
  change();
  await services.start();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('manager') };
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dockbell-cli-'));
});

afterEach(async () => {
  await app.close();
  rmSync(dir, { recursive: true, force: true });
});

const run = (argv: string[], stdin = '') => runCli([...argv, '--factory', 'payments'], { env, cwd: dir, stdin });

async function listWebhooks(): Promise<string[]> {
  return (await services.inventory.webhooks('payments')).filter((it) => it.deletedAt === null).map(({ name }) => name);
}

const SEEDED = ['by-url', 'internal-ci'];

describe('a webhook of a managed or live factory', () => {
  beforeEach(() => serve('live'));

  it.each([
    ['delete', 'Delete the webhook internal-ci.', 'Its senders get 404.'],
    ['disable', 'Disable the webhook internal-ci.', 'Its senders get 404.'],
    ['rotate', 'Rotate the secret of internal-ci.', 'The current one stops working immediately.'],
  ])('does not change with %s --dry-run', async (verb, action, effect) => {
    const before = await services.inventory.webhooks('payments');
    const { code, stdout } = await run(['webhook', verb, 'internal-ci', '--dry-run']);
    expect([code, stdout]).toEqual([0, `Dry run, nothing was changed: ${action}\n  ${effect}\n`]);
    expect(await services.inventory.webhooks('payments')).toEqual(before);
  });

  const readWebhook = async () => (await services.inventory.webhooks('payments')).find(isInternalCi)!;
  const isInternalCi = ({ name }: { name: string }) => name === 'internal-ci';

  it('is changed by update only in what the options name, and --reset restores defaults', async () => {
    const before = await readWebhook();
    const update = (...options: string[]) => run(['webhook', 'update', 'internal-ci', ...options]);
    const changes = ['--expect-every', '24h', '--no-deduplicate', '--event', '{"header": "X-Event"}'];
    expect(await update(...changes, '--record-headers', 'X-A', 'X-B')).toMatchObject({
      code: 0,
      stdout: 'internal-ci is updated.\n',
    });
    const changed = { expectEvery: '24h', deduplicate: false, event: { header: 'X-Event' } };
    const { uid, description, secretName, enabled } = before;
    expect(await readWebhook()).toMatchObject({ ...changed, uid, description, secretName, enabled });
    expect((await readWebhook()).recordHeaders.map((name) => name.toLowerCase())).toEqual(['x-a', 'x-b']);
    const { stdout } = await update('--reset', 'expect-every', 'deduplicate', 'record-headers', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ expect_every: null, deduplicate: true, record_headers: [] });
    expect(await readWebhook()).toMatchObject({ event: { header: 'X-Event' } });
  });

  it('serves a provider after update, with names and accounts in the form that filters use', async () => {
    const names = '{"channels": {"#triage": "C01"}}';
    const options = ['--serves', 'slack', '--names', names, '--ignore-actors', '@bot', 'B02'];
    expect(await run(['webhook', 'update', 'internal-ci', ...options])).toMatchObject({ code: 0 });
    const served = { serves: 'slack', names: { channels: { triage: 'C01' } }, ignoreActors: ['bot', 'B02'] };
    expect(await readWebhook()).toMatchObject(served);
    const { stdout } = await run(['webhook', 'show', 'internal-ci']);
    expect(stdout).toMatch(/Serves: +slack\n/);
    const rejected = await run(['webhook', 'update', 'internal-ci', '--reset', 'serves']);
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('names.channels has no effect')]);
    const reset = await run(['webhook', 'update', 'internal-ci', '--reset', 'serves', 'names', 'ignore-actors']);
    expect(reset.code).toBe(0);
    expect(await readWebhook()).toMatchObject({ serves: null, names: null, ignoreActors: [] });
  });

  it('does not change with update --dry-run, which prints the current values and the new ones', async () => {
    const before = await readWebhook();
    const options = ['--body-format', 'form', '--reset', 'expect-every', '--dry-run'];
    const { code, stdout } = await run(['webhook', 'update', 'internal-ci', ...options]);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        'Dry run, nothing was changed: Update the webhook internal-ci.',
        '  body_format changes from "json" to "form".',
        '  expect_every stays null.',
        '',
      ],
    ]);
    expect(await readWebhook()).toEqual(before);
  });

  it.each([
    [[], 2, 'The command changes nothing.'],
    [['--expect-every', '1h', '--reset', 'expect-every'], 2, 'The command sets expect_every and resets it.'],
    [['--reset', 'secret-name'], 2, "Option '--reset <fields...>' argument 'secret-name' is invalid."],
    [['--expect-every', 'soon'], 2, 'The body is not valid: #/expect_every'],
  ] as [string[], number, string][])('is not changed by update %j', async (options, code, message) => {
    const before = await readWebhook();
    const failed = await run(['webhook', 'update', 'internal-ci', ...options]);
    expect([failed.code, failed.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await readWebhook()).toEqual(before);
  });

  it('is not created with an invalid signature block', async () => {
    const { code, stderr } = await run([
      'webhook',
      'create',
      'orders',
      '--auth-mode',
      'signature',
      '--scheme',
      'custom',
      '--signature',
      '{"heder": "X-Signature"}',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "header"?')]);
    expect(await listWebhooks()).toEqual(SEEDED);
  });

  it.each([
    [['webhook', 'create', 'pulls', '--auth-mode', 'signature', '--scheme', 'gihub']],
    [['send', '--to', 'http://127.0.0.1:1/', '--auth-mode', 'signature', '--scheme', 'gihub']],
    [['diagnose', '--request', 'request.json', '--scheme', 'gihub']],
  ])('has a scheme, and a similar one is suggested for %j', async (argv) => {
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/'gihub' is invalid\. Did you mean github\?/)]);
    expect(await listWebhooks()).toEqual(SEEDED);
  });

  it.each([
    [
      ['--auth-mode', 'signature', '--scheme', 'github'],
      'GitHub signs with a secret that you have to provide.',
      'Add --with-secret: ',
    ],
    [['--with-secret'], 'The secret of a token webhook is generated. ', 'Omit --with-secret. '],
  ] as [string[], string, string][])(
    'is rejected in the words of the command line (%j)',
    async (options, message, hint) => {
      const { code, stderr } = await run(['webhook', 'create', 'pulls', ...options], 'typed');
      const [first, second] = stderr.split('\n');
      expect([code, first, second]).toEqual([2, expect.stringContaining(message), expect.stringContaining(hint)]);
      expect(stderr).not.toMatch(/"secret/);
      expect(await listWebhooks()).toEqual(SEEDED);
    },
  );

  it('is shown with commands that name its factory', async () => {
    const { stdout } = await run(['webhook', 'show', 'internal-ci']);
    expect(stdout).toContain("dockbell send internal-ci --factory payments --data '");
  });
});

describe('an automation of a managed or live factory', () => {
  /** The `If-Match` of each edit. */
  let matched: (string | null)[];
  /** Done before an edit. */
  let before: (...edit: [...Parameters<WriteAutomation>, WriteAutomation]) => Promise<void>;

  beforeEach(async () => {
    matched = [];
    before = async () => undefined;
    await serve('live', () => {
      const { writeAutomation } = services.editor;
      services.editor.writeAutomation = async (order, writing) => {
        matched.push(order.ifMatch);
        await before(order, writing, writeAutomation);
        return writeAutomation(order, writing);
      };
    });
  });

  const read = async (name = 'fix-errors') => (await services.inventory.automation('payments', name))!;
  const declared = ({
    name,
    description,
    enabled,
    agent,
    triggers,
    listensTo,
    prompt,
    overrides,
  }: AppliedAutomation) => ({
    name,
    description,
    enabled,
    agent,
    listensTo,
    prompt,
    overrides,
    triggers: triggers.map((trigger) => ({ ...trigger, at: null })),
  });

  it('is printed as its file, and updated from it with the ETag that was read', async () => {
    const applied = await read();
    const { stdout } = await run(['automation', 'show', 'fix-errors', '--as-file']);
    writeFileSync(join(dir, 'automation.md'), stdout);
    const { code, stderr } = await run(['automation', 'update', 'fix-errors', '--file', 'automation.md']);
    expect([code, stderr, matched]).toEqual([0, '', [tagAutomation(applied)]]);
    expect(declared(await read())).toEqual(declared(applied));
  });

  it('is not changed if it was changed since it was read', async () => {
    before = async (order, writing, writeAutomation) => {
      const automation = { ...writing.automation, enabled: true, prompt: 'Sooner.' };
      await writeAutomation({ ...order, ifMatch: null }, { ...writing, automation });
    };
    const { code, stderr } = await run(['automation', 'disable', 'fix-errors']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('It was changed since you read it.')]);
    expect(await read()).toMatchObject({ enabled: true, prompt: 'Sooner.' });
  });

  it.each([
    ['disable', false],
    ['enable', true],
  ])('is changed by %s only in its switch', async (verb, enabled) => {
    if (enabled) await run(['automation', 'disable', 'fix-errors']);
    const applied = await read();
    expect(applied.enabled).toBe(!enabled);
    expect((await run(['automation', verb, 'fix-errors'])).code).toBe(0);
    expect(matched.at(-1)).toBe(tagAutomation(applied));
    expect(declared(await read())).toEqual({ ...declared(applied), enabled });
  });

  it('is created from standard input', async () => {
    const trigger = '  - provider: webhook\n    event: received\n    filter: { webhooks: [internal-ci] }\n';
    const text = `---\ntriggers:\n${trigger}model: large\nrunsOn: [gpu]\n---\nDo it.\n`;
    expect((await run(['automation', 'create', 'late', '--file', '-'], text)).code).toBe(0);
    expect((await run(['automation', 'disable', 'late'])).code).toBe(0);
    expect(JSON.parse((await run(['automation', 'show', 'late', '--json'])).stdout).runs_on).toEqual(['gpu']);
    expect((await run(['automation', 'show', 'late', '--as-file'])).stdout).toContain('runsOn:\n  - gpu\n');
    expect(await read('late')).toMatchObject({
      enabled: false,
      runsOn: ['gpu'],
      prompt: 'Do it.\n',
      overrides: { model: 'large' },
      triggers: [{ provider: 'webhook', event: 'received', webhooks: ['internal-ci'] }],
    });
  });

  it.each([
    ['no front matter', 'standard input:1: ', 'just text'],
    ['broken YAML', 'standard input:3: ', '---\ntriggers: [\n---\nx'],
    ['front matter that is a list', 'standard input:2: ', '---\n- a\n---\nx'],
  ])('is not written from a text with %s, and the error has its position', async (_what, place, text) => {
    const { code, stderr } = await run(['automation', 'create', 'x', '--file', '-'], text);
    expect([code, matched]).toEqual([1, []]);
    expect(stderr).toContain(place);
  });

  it('that is invalid is rejected with every finding and its position', async () => {
    const unknown = '{ provider: webhook, event: received, filter: { webhooks: ["c\\e[31mi"] } }';
    const empty = '{ provider: webhook, event: received, filter: { webhooks: [internal-ci], payload: { level: [] } } }';
    const input = `---\ntriggers:\n  - ${unknown}\n  - ${empty}\n---\nDo it.\n`;
    const { code, stderr } = await run(['automation', 'create', 'late', '--file', '-'], input);
    expect(code).toBe(1);
    expect(stderr).toContain('automations/late/automation.md:7:11: error The webhook "c\\u001b[31mi" does not exist');
    expect(stderr).toContain('automations/late/automation.md:14:16: error The list of "in" is empty.');
    expect(await services.inventory.automation('payments', 'late')).toBeNull();
  });

  it('escapes the text of findings', async () => {
    const finding = {
      severity: 'error',
      rule: 'filter/shape',
      message: 'the filter \u001b[31mis none',
      path: null,
      hint: '',
      file: 'automations/late/automation.md',
      line: 4,
      column: 1,
      endLine: 4,
      endColumn: 2,
    };
    const details = { diagnostics: [finding, { ...finding, line: 5 }] };
    const rejection = new AppError('definition_invalid', 'Nothing was changed', { details });
    before = () => Promise.reject(rejection);
    const argv = ['automation', 'create', 'late', '--file', '-'];
    const { code, stderr } = await run(argv, '---\ntriggers: []\n---\nDo it.\n');
    expect(code).toBe(1);
    expect(stderr).toContain('automations/late/automation.md:4:1: error the filter \\x1b[31mis none');
  });

  it('cannot be changed under another name', async () => {
    const { code, stderr } = await run(['automation', 'disable', 'nope']);
    expect([code, stderr]).toEqual([1, expect.stringContaining("has no automation 'nope'")]);
  });
});

describe('the history of a managed factory', () => {
  it('lists authors and changes, and is reverted to a revision or its prefix', async () => {
    await serve('managed');
    expect((await run(['webhook', 'create', 'ci'])).code).toBe(0);
    const [newest, ...earlier] = (await services.editor.history('payments', { limit: 9, cursor: null })).data;
    const { stdout } = await run(['history']);
    expect(stdout).toMatch(new RegExp(`^${newest!.revision.slice(0, 12)} .* manager .*Create the webhook ci$`, 'm'));
    const names = [earlier[0]!.revision.slice(0, 9), newest!.revision];
    for (const [name, webhooks] of [
      [names[0]!, SEEDED],
      [names[1]!, ['by-url', 'ci', 'internal-ci']],
    ] as const) {
      expect(await run(['revert', name])).toMatchObject({ code: 0 });
      expect(await listWebhooks()).toEqual(webhooks);
    }
  });

  // Git chooses the names of revisions; these begin alike, and their author drives a terminal.
  const REVISIONS = ['a1b2c3d4e5', 'a1b2c3d400', '0123456789'].map((start) => start.padEnd(40, '0'));
  const serveRevisions = () =>
    serve('live', () => {
      services.editor.history = async () => ({
        data: REVISIONS.map((revision) => {
          const author = { name: '\u001b[31mAda', email: 'ada@example.com' };
          return { revision, author, at: NOW_MS, message: 'Create the webhook ci' };
        }),
        nextCursor: null,
      });
    });

  it('is escaped on a terminal', async () => {
    await serveRevisions();
    const { stdout } = await run(['history']);
    expect(stdout).toContain('a1b2c3d4e500');
    expect(stdout).toContain('Ada');
    expect(stdout).not.toContain('\u001b[31m');
  });

  it.each([
    ['a1b2c3d', 2, 'matches several revisions'],
    ['fffffff', 1, 'is not a revision'],
    ['012345', 1, 'is not a revision'],
    ['main', 1, 'is not a revision'],
  ])('is not reverted to %s', async (wanted, exit, why) => {
    await serveRevisions();
    const { code, stderr } = await run(['revert', wanted]);
    expect([code, services.seen.edited]).toEqual([exit, []]);
    expect(stderr).toContain(why);
  });
});
