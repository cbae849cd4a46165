import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { RunId } from '../../src/domain/ids.ts';
import type { WebhookView } from '../../src/domain/ports/inventory.ts';
import type { RunControl } from '../../src/domain/ports/run-control.ts';
import type { StoredDecisions } from '../../src/domain/resources/delivery.ts';
import { escapeText } from '../../src/domain/words/escape-text.ts';
import { type CliSurroundings, runCli } from '../helpers/run-cli.ts';
import {
  createSeededServer,
  createSeededServices,
  DELETED_UID,
  DELIVERY_ID,
  HOSTILE_TEXT,
  makeAttempt,
  makeDelivery,
  makeReconciliation,
  makeRun,
  makeWebhook,
  NOW_MS,
  PAYLOAD,
  RECONCILIATION_ID,
  REJECTED_ID,
  RUN_ID,
  type SeededServices,
  URL_TOKEN_UID,
  WEBHOOK_UID,
} from '../helpers/seeded-services.ts';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';

// The commands against the real management API over loopback, on seeded stores with names that try to drive a terminal.
const NO_EXECUTOR =
  "Factory payments has no executor. Set runs.executor in dockbell.yaml and run 'dockbell reload', or start a worker.";

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
let dir: string;

/** For the tests that change nothing. */
let idle: Awaited<ReturnType<typeof listen>> | null = null;

async function listen(more: Partial<SeededServices>) {
  const services = createSeededServices(more);
  const app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { services, app, env: { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') } };
}

async function serve(more: Partial<SeededServices> = {}): Promise<void> {
  ({ services, app, env } = await listen(more));
}

async function serveIdle(): Promise<void> {
  idle ??= await listen({});
  ({ services, app, env } = idle);
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dockbell-cli-'));
});

afterAll(() => idle?.app.close());

afterEach(async () => {
  if (app !== idle?.app) await app.close();
  await rm(dir, { recursive: true, force: true });
});

/** Runs a command for the factory `payments` of that daemon. */
async function run(argv: string[], more: CliSurroundings = {}) {
  return runCli([...argv, '--factory', 'payments'], { env, cwd: dir, clock: services.clock, ...more });
}

/** What the API itself answers. */
async function ask(path: string): Promise<unknown> {
  const answer = await fetch(`${env.DOCKBELL_URL}/api/v1${path}`, {
    headers: { authorization: `Bearer ${env.DOCKBELL_TOKEN}` },
  });
  return answer.json();
}

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe('with --json', () => {
  it.each([
    [['status'], '/factories/payments'],
    [['webhook', 'list'], '/factories/payments/webhooks'],
    [['webhook', 'show', 'internal-ci'], `/factories/payments/webhooks/${WEBHOOK_UID}`],
    [['webhook', 'show', DELETED_UID], `/factories/payments/webhooks/${DELETED_UID}`],
    [['automation', 'list'], '/factories/payments/automations'],
    [['automation', 'show', 'fix-errors'], '/factories/payments/automations/fix-errors'],
    [['delivery', 'list', 'internal-ci'], `/factories/payments/webhooks/${WEBHOOK_UID}/deliveries`],
    [['delivery', 'show', DELIVERY_ID], `/deliveries/${DELIVERY_ID}`],
    [['delivery', 'show', DELIVERY_ID, '--explain'], `/deliveries/${DELIVERY_ID}/explain`],
    [['run', 'list'], '/factories/payments/runs'],
    [['reconciliation', 'list'], '/factories/payments/reconciliations'],
    [['reconciliation', 'show', RECONCILIATION_ID], `/factories/payments/reconciliations/${RECONCILIATION_ID}`],
    [['run', 'show', RUN_ID], `/runs/${RUN_ID}`],
    [['secret', 'list'], '/secrets'],
    [['pull-request', 'list'], '/factories/payments/pull-requests'],
  ])('%j prints exactly what the API answers', async (argv, path) => {
    await serveIdle();
    const { code, stdout, stderr } = await run([...argv, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(await ask(path));
  });
});

describe('on a terminal', () => {
  it.each(
    [
      ['status'],
      ['webhook', 'list'],
      ['webhook', 'show', 'internal-ci'],
      ['automation', 'list'],
      ['automation', 'show', 'fix-errors'],
      ['delivery', 'list', 'internal-ci'],
      ['delivery', 'show', DELIVERY_ID],
      ['delivery', 'show', DELIVERY_ID, '--explain'],
      ['run', 'list'],
      ['run', 'show', RUN_ID],
      ['secret', 'list'],
      ['token', 'list'],
    ].map((argv) => [argv]),
  )('%j writes control characters of names out', async (argv) => {
    await serveIdle();
    const { code, stdout, stderr } = await run(argv, { columns: 200, env: { ...env, NO_COLOR: '1' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(CONTROL);
    expect(stdout).not.toMatch(/^"quoted"/m);
  });
});

describe('status', () => {
  it('prints findings with file and line and returns 1', async () => {
    await serve({
      inventory: {
        ...createSeededServices().inventory,
        factories: async () => [
          {
            name: 'payments',
            appliedRevision: 'a'.repeat(40),
            appliedCommit: null,
            appliedAt: NOW_MS,
            appliedSource: null,
            attemptedRevision: 'b'.repeat(40),
            attemptedAt: NOW_MS,
            conditions: [
              { type: 'Ready', status: 'True', reason: 'DefinitionLive', message: 'serving', since: NOW_MS },
              { type: 'Reconciled', status: 'False', reason: 'ValidationFailed', message: '1 error', since: NOW_MS },
            ],
          },
        ],
      },
      reconciliations: {
        get: async () => null,
        list: async () => ({
          data: [
            makeReconciliation({
              revision: 'b'.repeat(40),
              result: 'invalid',
              diagnostics: [
                {
                  severity: 'error',
                  rule: 'webhook/unknown-key',
                  file: 'webhooks/ci.yaml',
                  line: 3,
                  column: 1,
                  path: 'authmode',
                  message: 'There is no key authmode.',
                  hint: 'Did you mean authMode?',
                },
              ],
            }),
          ],
          nextCursor: null,
        }),
      },
    });
    const { code, stdout } = await run(['status']);
    expect(code).toBe(1);
    expect(stdout).toContain('Applied:   aaaaaaaaaaaa, 2026-01-02T03:04:05.678Z (just now)');
    expect(stdout).toContain('Attempted: bbbbbbbbbbbb');
    expect(stdout).toContain('webhooks/ci.yaml:3:1: error There is no key authmode. [webhook/unknown-key]');
    expect(stdout).toContain('Did you mean authMode?');
  });
});

describe('status of a factory in order', () => {
  const warning = {
    severity: 'warning',
    rule: 'webhook/weak-secret',
    file: 'webhooks/ci.yaml',
    line: 2,
    column: 13,
    path: 'secretName',
    message: 'The secret CI is short.',
    hint: 'Give it another value.',
  } as const;

  it('prints the warnings of the live commit, and nothing of earlier attempts', async () => {
    const revision = (await createSeededServices().inventory.factories())[0]!.appliedRevision;
    const attempts = [
      makeReconciliation({ revision, result: 'unchanged' }),
      makeReconciliation({ revision: 'b'.repeat(40), result: 'invalid', diagnostics: [{ ...warning, line: 9 }] }),
      makeReconciliation({ revision, result: 'applied', diagnostics: [warning] }),
    ];
    await serve({
      reconciliations: { get: async () => null, list: async () => ({ data: attempts, nextCursor: null }) },
    });
    const { code, stdout } = await run(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain('webhooks/ci.yaml:2:13: warning The secret CI is short. [webhook/weak-secret]');
    expect(stdout).not.toContain('webhooks/ci.yaml:9');
  });

  it('prints nothing of an earlier attempt if a condition has another cause', async () => {
    const usual = createSeededServices().inventory;
    const known = await usual.factories();
    const locked = {
      type: 'DatabaseLocked',
      status: 'True',
      reason: 'LockedElsewhere',
      message: 'locked',
      since: 0,
    } as const;
    const failed = makeReconciliation({
      revision: 'b'.repeat(40),
      result: 'failed',
      diagnostics: [{ ...warning, line: 9 }],
    });
    const factories = async () => known.map((factory) => ({ ...factory, conditions: [...factory.conditions, locked] }));
    await serve({
      inventory: { ...usual, factories },
      reconciliations: { get: async () => null, list: async () => ({ data: [failed], nextCursor: null }) },
    });
    const { stdout } = await run(['status']);
    expect(stdout).toContain('DatabaseLocked');
    expect(stdout).not.toContain('webhooks/ci.yaml:9');
  });

  it('does not count an alert whose cause has ended as active', async () => {
    await serve();
    const { alertStore } = services.storage;
    const [alert] = await alertStore.active();
    expect((await run(['status'])).stdout).toMatch(/Alerts: +1 active, 1 of them not acknowledged; see/);
    const changed = [{ ...alert!, clearSince: alert!.openedAt }];
    await alertStore.change({ opened: [], changed, notices: [] });
    expect((await run(['status'])).stdout).toMatch(/Alerts: +1 resolving, because the cause ended; see/);
  });
});

describe('status --wait', () => {
  /** A daemon whose state is the next of these with each poll; the last one stays. */
  async function serveStates(
    states: { applied: string; attempt: ReturnType<typeof makeReconciliation> | null }[],
    contains: SeededServices['reconcile']['contains'] = async () => 'no',
  ) {
    const seeded = createSeededServices();
    let polls = -1;
    const state = () => states[Math.min(Math.max(polls, 0), states.length - 1)]!;
    await serve({
      reconcile: { ...seeded.reconcile, contains },
      inventory: {
        ...seeded.inventory,
        factories: async () =>
          (await seeded.inventory.factories()).map((it) => ({ ...it, appliedRevision: state().applied })),
        head: async (name) => ({ name, appliedRevision: state().applied, appliedCommit: null }),
      },
      reconciliations: {
        get: async () => null,
        list: async () => {
          polls++;
          const { attempt } = state();
          return { data: attempt === null ? [] : [attempt], nextCursor: null };
        },
      },
    });
  }

  it('polls until an abbreviated revision is live, without progress if no terminal exists', async () => {
    await serveStates([
      { applied: 'aaaaaaaaaa', attempt: null },
      { applied: 'bbbbbbbbbb', attempt: null },
    ]);
    const waits: number[] = [];
    const { code, stdout, stderr } = await run(['status', '--wait', 'BBBBBBB'], {
      onSleep: (ms) => void waits.push(ms),
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'bbbbbbb is live.\n', stderr: '' });
    expect(waits).toHaveLength(1);
  });

  it('resolves a name with the repository of the folder, and fails if the repository has no such commit', async () => {
    const repo = await createTempGitRepo();
    try {
      const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: A' });
      await serveStates([{ applied: revision, attempt: null }]);
      const live = await run(['status', '--wait', 'HEAD'], { cwd: repo.path });
      expect({ code: live.code, stdout: live.stdout }).toEqual({
        code: 0,
        stdout: `${revision.slice(0, 12)} is live.\n`,
      });
      const unknown = await run(['status', '--wait', 'nope'], { cwd: repo.path });
      expect(unknown).toMatchObject({ code: 1, stdout: '' });
      expect(unknown.stderr).toMatch(/^The repository has no commit "nope"\.\nUse 7 to 64 hexadecimal digits/);
    } finally {
      repo.remove();
    }
  });

  it('returns 0 immediately when the live commit contains the revision', async () => {
    await serveStates([{ applied: 'aaaaaaaaaa', attempt: null }], async (_factory, revision, earlier) =>
      revision === 'aaaaaaaaaa' && earlier === 'bbbbbbb' ? 'yes' : 'no',
    );
    const { code, stdout } = await run(['status', '--wait', 'bbbbbbb']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'bbbbbbb is live as part of aaaaaaaaaa, which contains it.\n',
    });
  });

  it('requests once for each live commit whether it contains the revision', async () => {
    const asked: string[] = [];
    await serveStates(
      [...[1, 2].map(() => ({ applied: 'aaaaaaaaaa', attempt: null })), { applied: 'bbbbbbbbbb', attempt: null }],
      async (_factory, revision) => {
        asked.push(revision);
        return 'unknown';
      },
    );
    expect((await run(['status', '--wait', 'bbbbbbb'])).code).toBe(0);
    expect(asked).toEqual(['aaaaaaaaaa']);
  });

  it('returns 1 and the findings when the revision is invalid', async () => {
    const attempt = makeReconciliation({ revision: 'bbbbbbbbbb', result: 'invalid', message: '1 error' });
    await serveStates([{ applied: 'aaaaaaaaaa', attempt }]);
    const { code, stdout } = await run(['status', '--wait', 'bbbbbbbbbb']);
    expect(code).toBe(1);
    expect(stdout).toContain('bbbbbbbbbb invalid: 1 error');
  });

  it('waits a moment for the retry of a failure that is older than the wait', async () => {
    const attempt = makeReconciliation({ revision: 'bbbbbbbbbb', result: 'failed', attemptedAt: NOW_MS - 1000 });
    await serveStates([
      { applied: 'aaaaaaaaaa', attempt },
      { applied: 'bbbbbbbbbb', attempt: null },
    ]);
    expect((await run(['status', '--wait', 'bbbbbbb'], { onSleep: () => services.clock.advance(500) })).code).toBe(0);
  });

  it('reports such a failure if it was not retried', async () => {
    const attempt = makeReconciliation({ revision: 'bbbbbbbbbb', result: 'failed', attemptedAt: NOW_MS - 1000 });
    await serveStates([{ applied: 'aaaaaaaaaa', attempt }]);
    const { code, stdout } = await run(['status', '--wait', 'bbbbbbb'], { onSleep: () => services.clock.advance(500) });
    expect(code).toBe(1);
    expect(stdout).toContain('failed');
  });

  it('reports the end of the time limit, and returns 1', async () => {
    await serveStates([{ applied: 'aaaaaaaaaa', attempt: null }]);
    const argv = ['status', '--wait', 'bbbbbbb', '--timeout', '3s'];
    const { code, stderr } = await run(argv, { onSleep: (ms) => services.clock.advance(ms) });
    expect(code).toBe(1);
    expect(stderr).toContain('neither live nor failed after 3s');
    expect(services.clock.monotonicMs()).toBe(3000);
  });
});

describe('reconcile', () => {
  it('requests a reconciliation', async () => {
    await serve();
    expect((await run(['reconcile'])).code).toBe(0);
    expect(services.seen.reconciled).toEqual(['payments']);
  });

  it('prints the changes with --wait', async () => {
    await serve({
      reconcile: { ...createSeededServices().reconcile, reconcileNow: async () => makeReconciliation() },
    });
    const { code, stdout } = await run(['reconcile', '--wait']);
    expect(code).toBe(0);
    expect(stdout).toContain('+ webhook internal-ci');
  });

  it('returns 1 if the definition is invalid', async () => {
    await serve({
      reconcile: {
        contains: async () => 'unknown',
        reconcileNow: async () => makeReconciliation({ result: 'invalid' }),
      },
    });
    expect((await run(['reconcile', '--wait'])).code).toBe(1);
  });
});

describe('secret', () => {
  const VALUE = 'canary-5e1f';

  it.each([
    ['a newline at the end', `${VALUE}\n`],
    ['the newline of Windows', `${VALUE}\r\n`],
    ['no newline', VALUE],
  ])('create reads the value from standard input, with %s, and never prints it', async (_, stdin) => {
    const values: string[] = [];
    await serve({
      secrets: {
        ...createSeededServices().secrets,
        put: async (_name, value) => {
          values.push(value!.reveal());
          return { created: true, version: 1, scope: { webhook: ['payments'], run: [] } };
        },
      },
    });
    const { code, stdout, stderr } = await run(['secret', 'create', 'NEW_SECRET'], { stdin });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Created secret NEW_SECRET (version 1).\n',
      stderr: '',
    });
    expect(values).toEqual([VALUE]);
  });

  it('prints name and version as JSON, never the value', async () => {
    await serve();
    const created = await run(['secret', 'create', 'NEW_SECRET', '--value', VALUE, '--json']);
    expect(created.code).toBe(0);
    expect(JSON.parse(created.stdout)).toEqual({
      name: 'NEW_SECRET',
      version: expect.any(Number),
      scope: { webhook: ['payments'], run: ['payments'] },
    });
  });

  it('create and update take a scope, and a scope alone needs no value', async () => {
    await serve();
    const runPlain = (args: string[]) => runCli(args, { env, cwd: dir, clock: services.clock });
    const scope = async (...args: string[]) => {
      const { code, stdout } = await runPlain(['secret', ...args, '--json']);
      return [code, code === 0 ? JSON.parse(stdout).scope : null];
    };
    const create = ['create', 'NEW_SECRET', '--value', VALUE];
    expect(await scope(...create, '--factory', 'payments', '--use', 'run')).toEqual([
      0,
      { webhook: [], run: ['payments'] },
    ]);
    expect(await scope('update', 'NEW_SECRET', '--factory', 'payments', '--use', 'webhook', '--add')).toEqual([
      0,
      { webhook: ['payments'], run: ['payments'] },
    ]);
    expect(await scope('update', 'NEW_SECRET', '--all-factories')).toEqual([0, { webhook: null, run: null }]);
    expect(await runPlain(['secret', 'update', 'NEW_SECRET', '--use', 'webhook'])).toMatchObject({
      code: 0,
      stdout: 'Changed the scope of NEW_SECRET: all factories (webhooks).\n',
    });
    const both = await runPlain(['secret', 'update', 'NEW_SECRET', '--factory', 'payments', '--all-factories']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('exclude each other') });
    expect((await runPlain(['secret', 'list'])).stdout).toMatch(/NEW_SECRET +1 +.*all factories \(webhooks\)/);
  });

  it.each(['a b', '1A', '', 'x'.repeat(129)])('rejects the name %j before it reads a value', async (name) => {
    const { code, stdout, stderr } = await run(['secret', 'create', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/cannot be the name of a secret\.\nUse a letter or _/);
  });

  it('drops one newline only and keeps all other white space', async () => {
    const values: string[] = [];
    await serve({
      secrets: {
        ...createSeededServices().secrets,
        put: async (_name, value) => {
          values.push(value!.reveal());
          return { created: true, version: 1, scope: { webhook: ['payments'], run: [] } };
        },
      },
    });
    await run(['secret', 'create', 'NEW_SECRET'], { stdin: ' two\nlines \n\n' });
    expect(values).toEqual([' two\nlines \n']);
  });

  it('update has the syntax of the specification, and prints which webhooks use the older version', async () => {
    await serve();
    const name = 'INTERNAL_CI_WEBHOOK_SECRET';
    const { code, stdout, stderr } = await run(['secret', 'update', '--team', '--value', VALUE, name]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Updated secret ${name} (version 4).\n` });
    expect(stderr).toContain('Still on an older version: payments/internal-ci.');
    expect(stdout + stderr).not.toContain(VALUE);
  });

  it.each([[['--value', '']], [[]]])('rejects an empty value given as %j with 2', async (options) => {
    await serveIdle();
    const { code, stderr } = await run(['secret', 'create', 'S', ...options], { stdin: '\n' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^The value is empty/);
    expect(services.seen.stored).toEqual([]);
  });

  it('delete returns 1 while a webhook uses the secret, except with --force', async () => {
    await serve();
    const name = 'INTERNAL_CI_WEBHOOK_SECRET';
    const refused = await run(['secret', 'delete', name]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(name);
    expect(refused.stderr).toContain('payments/internal-ci');
    expect((await run(['secret', 'delete', name, '--force'])).code).toBe(0);
    expect((await run(['secret', 'delete', name, '--force'])).code).toBe(1);
  });
});

describe('webhook show', () => {
  const serveWebhooks = (webhooks: WebhookView[]) =>
    serve({
      inventory: {
        ...createSeededServices().inventory,
        webhooks: async () => webhooks,
        webhook: async (uid) => webhooks.find((webhook) => webhook.uid === uid) ?? null,
      },
    });

  it('prints a command for a bearer token, with the secret as a variable', async () => {
    await serveIdle();
    const { stdout } = await run(['webhook', 'show', 'internal-ci']);
    expect(stdout).toContain(`curl -i 'https://hooks.example.com/webhooks/w/${WEBHOOK_UID}'`);
    expect(stdout).toContain(`-H 'Authorization: Bearer '"$INTERNAL_CI_WEBHOOK_SECRET"`);
    expect(stdout).toContain(`-H 'X-Service-Delivery-Id: '"test-$(`);
    expect(stdout).toContain('identical bodies count as duplicates');
  });

  it('appends the secret of a URL token to the URL', async () => {
    await serveIdle();
    const { stdout } = await run(['webhook', 'show', 'by-url']);
    expect(stdout).toContain(`/webhooks/w/${URL_TOKEN_UID}/'"$BY_URL_WEBHOOK_SECRET"`);
    expect(stdout).not.toContain('Authorization');
  });

  it('names the header of a signature scheme, and how to send without the provider', async () => {
    const webhook = makeWebhook({ authMode: 'signature', signatureScheme: 'github' });
    await serveWebhooks([webhook]);
    const { stdout } = await run(['webhook', 'show', 'internal-ci']);
    expect(stdout).toContain('X-Hub-Signature-256');
    expect(stdout).toContain('dockbell send internal-ci');
    expect(stdout).not.toContain('identical bodies');
  });

  it.each([
    ['sns', null, 'Only Amazon SNS can sign a delivery', 'dockbell send'],
    ['discord', null, '--auth-mode signature --scheme discord --secret-file', 'dockbell send internal-ci'],
    ['custom', { header: "X-It's", algorithm: 'rsa-sha256' }, `"X-It'\\''s"`, 'dockbell send internal-ci'],
  ])('suggests no test by the daemon if it cannot sign: %s', async (signatureScheme, signature, shown, hidden) => {
    const webhook = makeWebhook({ authMode: 'signature', signatureScheme, signature });
    await serveWebhooks([webhook]);
    const { stdout } = await run(['webhook', 'show', 'internal-ci']);
    expect(stdout).toContain(shown);
    expect(stdout).not.toContain(hidden);
  });

  it('explains what to do about an outdated or missing secret', async () => {
    const webhooks = [
      makeWebhook({ name: 'old', secretState: 'outdated' }),
      makeWebhook({ name: 'none', uid: URL_TOKEN_UID, secretState: 'missing' }),
    ];
    await serveWebhooks(webhooks);
    expect((await run(['webhook', 'show', 'old'])).stdout).toContain('The next commit applies it');
    expect((await run(['webhook', 'show', 'none'])).stdout).toContain("'dockbell secret create INTERNAL_CI");
  });

  it('shows which of two secrets is outdated, and the list shows the worse state', async () => {
    const verifyToken = { verifyTokenSecretName: 'VERIFY', verifyTokenSecretVersion: 1 };
    const webhooks = [
      makeWebhook({ name: 'one', ...verifyToken, verifyTokenSecretState: 'outdated' }),
      makeWebhook({ name: 'two', ...verifyToken, verifyTokenSecretState: 'outdated', secretState: 'missing' }),
    ];
    await serveWebhooks(webhooks);
    const { stdout } = await run(['webhook', 'show', 'one']);
    expect(stdout).toMatch(/^Secret: +INTERNAL_CI_WEBHOOK_SECRET, current$/m);
    expect(stdout).toMatch(/^Verify token: +VERIFY, outdated: .* The next commit applies it/m);
    const { data } = JSON.parse((await run(['webhook', 'list', '--json'])).stdout);
    const stateOf = ({ secret_state, credential_state, verify_token_state }: Record<string, unknown>) => [
      secret_state,
      credential_state,
      verify_token_state,
    ];
    expect(data.map(stateOf)).toEqual([
      ['outdated', 'current', 'outdated'],
      ['missing', 'missing', 'outdated'],
    ]);
  });

  it('returns 1 for an unknown name and lists the known ones', async () => {
    await serveIdle();
    const { code, stderr } = await run(['webhook', 'show', 'nope']);
    expect(code).toBe(1);
    expect(stderr).toBe("Factory payments has no webhook 'nope'.\nIt has: by-url, internal-ci.\n");
  });
});

describe('automation show', () => {
  it('explains why a trigger does not fire', async () => {
    await serveIdle();
    const { code, stdout } = await run(['automation', 'show', 'fix-errors']);
    expect(code).toBe(0);
    expect(stdout).toContain('The trigger schedule cron cannot start here: this version does not know its event.');
    expect(stdout).toContain('It does not fire from everything it names');
    expect(stdout).toContain('Fix it.');
  });
});

describe('delivery', () => {
  it('show --payload writes the exact bytes to a pipe', async () => {
    const bytes = Buffer.from('{"a":"\u001b[31m\u00e9"}\r\n');
    await serve({ deliveries: { ...createSeededServices().deliveries, payload: async () => bytes } });
    expect((await run(['delivery', 'show', DELIVERY_ID, '--payload'])).bytes).toEqual(bytes);
    const onTerminal = await run(['delivery', 'show', DELIVERY_ID, '--payload'], { columns: 80 });
    expect(onTerminal.stdout).toBe('{"a":"\\x1b[31m\u00e9"}\\r\n\n');
  });

  it('show --payload reports that a rejected delivery has no payload', async () => {
    await serveIdle();
    const { code, stderr } = await run(['delivery', 'show', REJECTED_ID, '--payload']);
    expect(code).toBe(1);
    expect(stderr).toContain('Rejected (auth)');
  });

  async function serveBody(text: string, more: Parameters<typeof makeDelivery>[0] = {}) {
    const deliveries = createSeededServices().deliveries;
    const delivery = { ...makeDelivery(more) };
    await serve({ deliveries: { ...deliveries, get: async () => delivery, payload: async () => Buffer.from(text) } });
  }

  it('show --as-sample prints a sample with the body and the started automations', async () => {
    const identity = { deliveryIdSource: 'service_header', deliveryId: 'e-1' } as const;
    await serveBody('{"level":"error","who":{"mail":"a@example.com"},"list":[{"t":"x"},{"t":1}]}', identity);
    const argv = ['delivery', 'show', DELIVERY_ID, '--as-sample'];
    const { code, stdout } = await run([...argv, '--redact', 'who.mail', 'list[*].t']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      description: expect.stringContaining(DELIVERY_ID),
      headers: { 'X-Service-Delivery-Id': 'e-1' },
      body: { level: 'error', who: { mail: 'REDACTED' }, list: [{ t: 'REDACTED' }, { t: 0 }] },
      starts: expect.any(Array),
    });
    await mkdir(join(dir, 'f/webhooks/ci.samples'), { recursive: true });
    await writeFile(join(dir, 'f/webhooks/ci.yaml'), 'secretName: CI\n');
    await writeFile(join(dir, 'f/webhooks/ci.samples/a.json'), stdout);
    const { diagnostics } = JSON.parse((await run(['validate', 'f', '--json'])).stdout);
    expect(diagnostics.filter(({ rule }: { rule: string }) => rule !== 'sample/unknown-automation')).toEqual([]);
  });

  it('show --as-sample prints nothing if a path to redact has no value', async () => {
    await serveBody('{"secret":"canary"}');
    const { code, stdout, stderr } = await run(['delivery', 'show', DELIVERY_ID, '--as-sample', '--redact', 'secert']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('The body has no value at secert');
    expect(stderr).not.toContain('canary');
    expect((await run(['delivery', 'show', DELIVERY_ID, '--redact', 'secret'])).code).toBe(2);
  });

  it('show --as-sample rejects numbers that JSON cannot represent', async () => {
    await serveBody('{"big": 1e400}');
    const { code, stderr } = await run(['delivery', 'show', DELIVERY_ID, '--as-sample']);
    expect(code).toBe(2);
    expect(stderr).toContain('The number under "big" is too large');
    expect((await run(['delivery', 'show', DELIVERY_ID, '--as-sample', '--redact', 'big'])).code).toBe(0);
    await app.close();
    await serveBody('['.repeat(50_000) + ']'.repeat(50_000));
    expect((await run(['delivery', 'show', DELIVERY_ID, '--as-sample'])).stderr).toContain('nested too deeply');
  });

  it('show --as-sample reports that a rejected delivery has no body', async () => {
    await serveIdle();
    expect((await run(['delivery', 'show', REJECTED_ID, '--as-sample'])).stderr).toContain('Rejected (auth)');
  });

  it('show --explain names the key that decided', async () => {
    await serveIdle();
    const { stdout } = await run(['delivery', 'show', DELIVERY_ID, '--explain']);
    expect(stdout).toContain('fix-errors: not started: the filter did not match');
    expect(stdout).toContain('Expected: ["fatal"]');
    expect(stdout).toContain('Actual:   "error"');
  });

  it('show --explain prints the number of decisions that were not stored', async () => {
    const omitted = { filtered: 4790, disabled: 10, filter_error: 0 };
    const { deliveries } = createSeededServices();
    const evaluation: typeof deliveries.evaluation = async (id) => {
      return { ...((await deliveries.evaluation(id)) as StoredDecisions), omitted };
    };
    await serve({ deliveries: { ...deliveries, evaluation } });
    const { stdout } = await run(['delivery', 'show', DELIVERY_ID, '--explain']);
    expect(stdout).toContain(
      '4800 more automations did not start (4790 by their filter, 10 disabled, 0 with a filter error).',
    );
  });

  it('list accepts a label in any case and rejects an unknown one', async () => {
    await serveIdle();
    const { stdout } = await run(['delivery', 'list', 'internal-ci', '--label', 'rejected (AUTH)', '--json']);
    expect(JSON.parse(stdout).data.map((row: { id: string }) => row.id)).toEqual([REJECTED_ID]);
    expect((await run(['delivery', 'list', 'internal-ci', '--label', 'Lost'])).code).toBe(2);
  });

  it('list --follow prints each entry once, the oldest first, until Ctrl-C', async () => {
    const id = (n: number) => `dlv_01kdy5zabcdefghjkmnpqrst${String(n).padStart(2, '0')}` as const;
    const rows = [1, 2, 3].map((n) => makeDelivery({ id: id(n) }));
    const interrupt = new AbortController();
    await serve({
      deliveries: {
        ...createSeededServices().deliveries,
        list: async (request) => {
          const newestFirst = [...rows].reverse();
          const from = request.cursor === null ? 0 : Number(request.cursor);
          const data = newestFirst.slice(from, from + request.limit);
          const more = from + request.limit < rows.length;
          return { data, nextCursor: more ? String(from + request.limit) : null };
        },
      },
    });
    let polls = 0;
    const onSleep = () => {
      polls++;
      // A burst of more than a page between two polls, then one that became visible late, then nothing.
      if (polls === 1) for (let n = 4; n < 300; n++) rows.push(makeDelivery({ id: `${id(5)}${String(n)}` as never }));
      if (polls === 2) rows.splice(-10, 0, makeDelivery({ id: `${id(5)}1000` as never }));
      if (polls === 4) interrupt.abort();
    };
    const argv = ['delivery', 'list', 'internal-ci', '--follow', '--json', '--limit', '2'];
    const { code, stdout } = await run(argv, { onSleep, interrupt: interrupt.signal });
    const seen = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id as string);
    expect(code).toBe(0);
    expect(seen.slice(0, 2)).toEqual([id(2), id(3)]);
    expect(seen.slice().sort()).toEqual(
      rows
        .slice(1)
        .map((row) => row.id)
        .sort(),
    );
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('run', () => {
  const times = async () => [];

  it('log prints the bytes', async () => {
    await serveIdle();
    expect((await run(['run', 'log', RUN_ID])).stdout).toBe('line one\nline two ✓\n');
  });

  it('log prints colors on a terminal, and no other control sequence', async () => {
    const log = Buffer.from('\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J\r\n50%\r100%\n');
    await serve({ runLogs: { read: async (_run, offset, limit) => log.subarray(offset, offset + limit), times } });
    const shown = await run(['run', 'log', RUN_ID], { columns: 80 });
    expect(shown.stdout).toBe('\x1b[31mred\x1b[0m\n100%\n');
    const plain = await run(['run', 'log', RUN_ID], { columns: 80, env: { ...env, NO_COLOR: '1' } });
    expect(plain.stdout).toBe('red\n100%\n');
    expect((await run(['run', 'log', RUN_ID])).stdout).toBe(log.toString());
  });

  it('log --follow prints new output until the run ends, and returns 1 if it failed', async () => {
    const log = [Buffer.from('one\n')];
    let state: 'running' | 'failed' = 'running';
    await serve({
      runs: { ...createSeededServices().runs, get: async () => makeRun({ state }) },
      runLogs: { read: async (_run, offset, limit) => Buffer.concat(log).subarray(offset, offset + limit), times },
    });
    const onSleep = () => {
      log.push(Buffer.from('two\n'));
      state = 'failed';
    };
    expect(await run(['run', 'log', RUN_ID, '--follow'], { onSleep })).toMatchObject({ code: 1, stdout: 'one\ntwo\n' });
  });

  it('log --timestamps prints the time of each line', async () => {
    const output = ['old\n', 'one\ntwo\n', 'thr', 'ee\n'];
    const entries = [4, 12].map((offset) => ({ offset, atMs: 1_700_000_000_000 + offset }));
    let shown = 2;
    let state: 'running' | 'failed' = 'running';
    await serve({
      runs: { ...createSeededServices().runs, get: async () => makeRun({ state }) },
      runLogs: {
        read: async (_run, offset, limit) => {
          return Buffer.from(output.slice(0, shown).join('')).subarray(offset, offset + limit);
        },
        times: async (_run, offset) =>
          entries.slice(0, shown - 1).filter((_, i) => offset < (entries[i + 1]?.offset ?? 99)),
      },
    });
    const onSleep = () => {
      shown += 1;
      if (shown === output.length) state = 'failed';
    };
    const [first, second] = entries.map(({ atMs }) => new Date(atMs).toISOString());
    expect((await run(['run', 'log', RUN_ID, '--timestamps'])).stdout).toBe(`- old\n${first} one\n${first} two\n`);
    expect((await run(['run', 'log', RUN_ID, '--timestamps', '--follow'], { onSleep })).stdout).toBe(
      `- old\n${first} one\n${first} two\n${second} three\n`,
    );
  });

  it('show returns 1 for a failed run', async () => {
    const failed = makeRun({ state: 'failed', error: 'exit code 3', exitCode: 3 });
    await serve({ runs: { ...createSeededServices().runs, get: async () => failed } });
    const { code, stdout } = await run(['run', 'show', RUN_ID]);
    expect(code).toBe(1);
    expect(stdout).toContain('exit code 3');
  });

  it('cancel stops a running run, and returns 1 for one that has ended', async () => {
    await serve();
    expect(await run(['run', 'cancel', RUN_ID])).toMatchObject({ code: 0 });
    expect((await services.runs.get(RUN_ID))?.state).toBe('cancelled');
    expect(await run(['run', 'cancel', RUN_ID])).toMatchObject({ code: 1 });
  });
});

describe('run retry', () => {
  it('queues a run again, and returns 1 for one that has not ended', async () => {
    await serve();
    expect(await run(['run', 'retry', RUN_ID])).toMatchObject({ code: 1 });
    await run(['run', 'cancel', RUN_ID]);
    expect(await run(['run', 'retry', RUN_ID])).toMatchObject({
      code: 0,
      stdout: `Queued ${RUN_ID} again, as attempt 2.\n`,
    });
    expect(await services.runs.get(RUN_ID)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  /** Queues runs and cancels them. */
  const cancelRuns = async (count: number) => {
    const ids: RunId[] = [];
    for (let i = 0; i < count; i += 1) {
      const id = await services.queueRun();
      await run(['run', 'cancel', id]);
      ids.push(id);
    }
    return ids;
  };

  it('queues several runs again, and names those that cannot be', async () => {
    await serve();
    const ids = await cancelRuns(2);
    const { code, stdout } = await run(['run', 'retry', ...ids, RUN_ID, ids[0]!]);
    expect(code).toBe(1);
    expect(stdout).toBe(
      `Queued 2 runs again.\nNot retried: 1. The run has not ended yet: cancel it first, or wait for its end.\n  ${RUN_ID}\n`,
    );
    for (const id of ids) expect(await services.runs.get(id)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it('queues all runs again that match, with --yes', async () => {
    await serve();
    const ids = await cancelRuns(3);
    expect(await run(['run', 'retry', '--dead-letter', '--yes'])).toMatchObject({
      code: 0,
      stdout: 'No matching runs.\n',
    });
    const asked = await run(['run', 'retry', '--state', 'cancelled']);
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain('Retry 3 runs? Standard input is not a terminal');
    expect(asked.stderr).toContain('--yes');
    expect(await services.runs.get(ids[0]!)).toMatchObject({ state: 'cancelled' });
    const planned = await run(['run', 'retry', '--state', 'cancelled', '--dry-run']);
    expect(planned.stdout).toMatch(
      /^Dry run, nothing was changed: Retry 3 runs\.\n( {2}run_\w+ {2}fix-errors, cancelled: attempt 2\n){3}$/,
    );
    const none = await run(['run', 'retry', '--dead-letter', '--dry-run']);
    expect(none).toMatchObject({ code: 0, stdout: 'Dry run, nothing was changed: Retry 0 runs.\n' });
    expect(await services.runs.get(ids[0]!)).toMatchObject({ state: 'cancelled' });
    const done = await run(['run', 'retry', '--state', 'cancelled', '--automation', 'fix-errors', '--yes']);
    expect(done).toMatchObject({ code: 0, stdout: 'Queued 3 runs again.\n' });
    const { stdout } = await run(['run', 'retry', '--state', 'cancelled', '--yes', '--json']);
    expect(JSON.parse(stdout)).toEqual({ retried: 0, rejected: [] });
  });

  it('prints what was done before a failure', async () => {
    let calls = 0;
    await serve({
      runs: {
        ...createSeededServices().runs,
        count: async () => ({ count: 2, nextCursor: null }),
        list: async () => {
          calls += 1;
          if (calls > 1) throw new AppError('storage_unavailable', 'The disk is full.');
          return { data: [makeRun({ state: 'failed' })], nextCursor: '1' };
        },
      },
      runControl: { retry: async () => 'queued' } as unknown as RunControl,
    });
    const { code, stderr } = await run(['run', 'retry', '--dead-letter', '--yes']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/Queued 1 run again\. Repeat the command to continue\.\n[\s\S]*The disk is full/);
  });

  it.each([
    [['run', 'retry']],
    [['run', 'retry', RUN_ID, '--dead-letter']],
    [['run', 'retry', '--dead-letter', '--state', 'failed']],
    [['run', 'retry', '--state', 'running']],
  ])('%j is wrong usage', async (argv) => {
    await serveIdle();
    expect(await run(argv)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('run list', () => {
  it('finds runs by delivery, webhook, revision and time', async () => {
    await serveIdle();
    const list = async (...options: string[]) => (await run(['run', 'list', ...options])).stdout;
    const { delivery } = (await services.runs.get(RUN_ID))!;
    for (const options of [
      ['--delivery', delivery],
      ['--webhook', 'internal-ci'],
      ['--revision', 'c0ff'],
      ['--since', '2026-01-02T03:04:05Z'],
    ])
      expect(await list(...options), options.join(' ')).toContain(RUN_ID);
    for (const options of [
      ['--webhook', 'by-url'],
      ['--revision', 'feed'],
      ['--since', '2026-01-02T03:05:00Z'],
      ['--dead-letter'],
    ])
      expect(await list(...options), options.join(' ')).toBe('No matching runs.\n');
  });
});

describe('delivery list', () => {
  it('finds deliveries without runs and texts in payloads, and names the original of a replay', async () => {
    await serveIdle();
    const list = async (...options: string[]) => (await run(['delivery', 'list', ...options])).stdout;
    expect(await list('--unmatched')).not.toContain(`${DELIVERY_ID} `);
    expect(await list('--unmatched')).toContain(`replay of ${DELIVERY_ID}`);
    expect(await list('--search', '1e400')).toContain(DELIVERY_ID);
    expect(await list('--search', 'not in any payload')).toBe('No matching deliveries.\n');
    expect(JSON.parse(await list('--unmatched', '--json'))).toMatchObject({ next_cursor: null, examined_to: null });
  });
});

describe('reconciliation show', () => {
  it('prints who made the commit, and the old and new values as a diff', async () => {
    const trigger = (actions: string[]) => ({ provider: 'webhook', filter: { payload: { action: actions } } });
    const changes = [{ key: 'triggers', from: [trigger(['opened', 'edited'])], to: [trigger(['opened'])] }];
    const plan = makeReconciliation().plan;
    plan.automations.update.push({ name: 'fix-errors', uid: null, restored: false, changes });
    const { reconciliations } = createSeededServices();
    await serve({ reconciliations: { ...reconciliations, get: async () => makeReconciliation({ plan }) } });
    const { stdout } = await run(['reconciliation', 'show', RECONCILIATION_ID]);
    expect(stdout).toContain(
      `  Filter errors ${escapeText(HOSTILE_TEXT)}\n  by Ann at 2026-01-02T03:03:05.678Z, https://github.com/`,
    );
    expect(stdout).toContain('  ~ automation fix-errors (triggers)\n        triggers:\n');
    expect(stdout).toContain('              - opened\n      -           - edited\n');
  });
});

describe('the attempts of a run', () => {
  it('are shown with their reason, worker and requester, and their logs are separate', async () => {
    const failed = { state: 'failed', error: 'exit code 3', exitCode: 3, finishedAt: NOW_MS + 7 } as const;
    const second = { number: 2, requestedAt: NOW_MS + 5, executor: 'command', worker: null, logOffset: 9 };
    const attempts = [makeAttempt({ state: 'failed', error: 'interrupted' }), makeAttempt({ ...failed, ...second })];
    await serve({
      runs: {
        ...createSeededServices().runs,
        get: async () => makeRun({ ...failed, attempt: 2 }),
        attempts: async () => new Map([[RUN_ID, attempts]]),
      },
    });
    const { code, stdout } = await run(['run', 'show', RUN_ID]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Reason: +The command ended with exit code 3\.$/m);
    expect(stdout).toMatch(
      /^1 +failed +the delivery .* build-machine +The worker sent no heartbeat .* retry the run\.$/m,
    );
    expect(stdout).toMatch(/^2 +failed +Dockbell, automatically .* The command ended with exit code 3\.$/m);
    expect(stdout).toContain(`Retry it: dockbell run retry ${RUN_ID}`);
    const all = (await run(['run', 'show', RUN_ID, '--attempts'])).stdout;
    expect(all).toContain(`dockbell run log ${RUN_ID} --attempt 2`);
    expect((await run(['run', 'log', RUN_ID, '--attempt', '1'])).stdout).toBe('line one\n');
    expect((await run(['run', 'log', RUN_ID, '--attempt', '2'])).stdout).toBe('line two ✓\n');
    expect(await run(['run', 'log', RUN_ID, '--attempt', '3'])).toMatchObject({ code: 1 });
  });

  it('are followed by the input and the exact payload on request', async () => {
    await serveIdle();
    const { stdout } = await run(['run', 'show', RUN_ID, '--input']);
    expect(stdout).toContain('\n\n---\n\n# Delivery\n');
    expect((await run(['run', 'show', RUN_ID, '--payload'])).stdout).toContain('1e400');
    expect((await run(['run', 'show', RUN_ID, '--payload', '--input'])).code).toBe(2);
  });
});

describe('delivery replay', () => {
  it('prints the new delivery and what it started, and returns 1 if it cannot be replayed', async () => {
    await serve();
    const replay = await run(['delivery', 'replay', DELIVERY_ID, '--automation', 'fix-errors']);
    expect(replay.code).toBe(0);
    expect(replay.stdout).toMatch(/^Replayed as dlv_[0-9a-z]{26}: started run_[0-9a-z]{26}\.\n$/);
    expect(services.seen.replayed).toMatchObject([{ id: DELIVERY_ID, automation: 'fix-errors' }]);
    expect(await run(['delivery', 'replay', REJECTED_ID])).toMatchObject({ code: 1 });
  });
});

describe('send', () => {
  it('sends through the daemon without a secret, with the exact bytes of a file', async () => {
    await serve();
    const body = '{"level" :"error"}\r\n';
    await writeFile(join(dir, 'event.json'), body);
    await writeFile(join(dir, 'marked.json'), `\ufeff${body}`);
    const { code, stdout } = await run(['send', 'internal-ci', '--data', '@event.json', '--delivery-id', 'e-1']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^202 Accepted dlv_[0-9a-z]{26}: started run_[0-9a-z]{26}\n$/);
    expect(services.seen.searched.at(-1)).toMatchObject({ webhookUid: WEBHOOK_UID, identity: 'e-1', limit: 1 });
    // JSON begins without a byte order mark, so the ingress rejects this one: the command does not remove the mark.
    expect((await run(['send', 'internal-ci', '--data', '@marked.json'])).stdout).toMatch(/^400 .*not valid JSON/);
    expect(services.seen.sent).toEqual([
      { uid: WEBHOOK_UID, body, deliveryId: 'e-1' },
      { uid: WEBHOOK_UID, body: `\ufeff${body}`, deliveryId: null },
    ]);
    const payload = await services.deliveries.payload(stdout.match(/dlv_\w+/)![0] as `dlv_${string}`);
    expect(Buffer.from(payload!).toString('utf8')).toBe(body);
  });

  it('prints the ID of the log entry, which delivery show accepts', async () => {
    await serve();
    const sent = JSON.parse((await run(['send', 'internal-ci', '--json'])).stdout);
    expect(sent).toMatchObject({ status: 202, delivery: expect.stringMatching(/^dlv_/) });
    expect((await run(['delivery', 'show', sent.delivery])).code).toBe(0);
  });

  it('finds the entry by the ID in the body if the answer has none, as for Teams', async () => {
    const answer = { status: 200, headers: {}, body: '{"type":"message","text":"Received."}' };
    await serve({ sendTestDelivery: async () => answer });
    services.inventory.webhooks = async () => [makeWebhook({ authMode: 'signature', signatureScheme: 'teams' })];
    const sent = await run(['send', 'internal-ci', '--data', '{"type": "message", "id": "42"}']);
    expect(sent.code).toBe(0);
    expect(services.seen.searched.at(-1)).toMatchObject({ identity: '42', limit: 1 });
    await run(['send', 'internal-ci'], { newId: () => 'new-1' });
    expect(services.seen.searched.at(-1)).toMatchObject({ identity: 'new-1' });
  });

  it('prints the original of a duplicate', async () => {
    await serve();
    const send = () => run(['send', 'internal-ci', '--data', '{"level": "error"}', '--delivery-id', 'e-1']);
    const first = /^202 Accepted (dlv_\w+): started run_/.exec((await send()).stdout)?.[1];
    const again = /^202 Duplicate (dlv_\w+) of (dlv_\w+): started nothing\n$/.exec((await send()).stdout);
    expect([again?.[1] === first, again?.[2]]).toEqual([false, first]);
  });

  it('warns that the run will not start if the factory has no executor', async () => {
    await serve();
    const send = () => run(['send', 'internal-ci', '--data', '{"level": "error"}']);
    expect(await send()).toMatchObject({ code: 0, stderr: `Warning: the run stays queued. ${NO_EXECUTOR}\n` });
    services.runs.get = async () => makeRun({ state: 'running' });
    expect((await send()).stderr).toBe('');
  });

  it('creates a new body each time if none is given', async () => {
    await serve();
    let ids = 0;
    await run(['send', 'internal-ci', '--repeat', '3'], { newId: () => `id-${++ids}` });
    expect(new Set(services.seen.sent.map(({ body }) => body)).size).toBe(3);
  });

  it('returns 1 if a response is not 202', async () => {
    await serve();
    const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'the body is not valid JSON' };
    expect(await run(['send', 'internal-ci', '--data', 'x'])).toMatchObject({
      code: 1,
      stdout: `400 ${JSON.stringify(problem)}\n`,
    });
  });
});

describe('a queued run', () => {
  it('is listed and shown with the reason for the wait', async () => {
    await serve();
    await services.queueRun();
    const id = await services.queueRun();
    const reason = `${NO_EXECUTOR} Position 2.`;
    expect((await run(['run', 'list'])).stdout).toContain(`  ${reason}`);
    expect((await run(['run', 'show', id])).stdout).toMatch(new RegExp(`^Waiting: +${reason}$`, 'm'));
  });
});

describe('filter test', () => {
  it('evaluates a delivery in the daemon: result first, then the key that decided', async () => {
    await serve();
    const { stdout } = await run(['filter', 'test', '--automation', 'fix-errors', '--delivery', DELIVERY_ID]);
    expect(JSON.parse(PAYLOAD).level).toBe('error');
    expect(stdout).toMatch(/^Would trigger\n/);
    await writeFile(join(dir, 'filter.json'), '{"level": ["fatal"]}');
    const refused = await run(['filter', 'test', '--filter', 'filter.json', '--delivery', DELIVERY_ID]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^Would not trigger\nDecided by: level\n/);
  });

  it('returns 2, not a result, if the delivery has no stored payload', async () => {
    await serveIdle();
    const { code } = await run(['filter', 'test', '--automation', 'fix-errors', '--delivery', REJECTED_ID]);
    expect(code).toBe(2);
  });
});

describe('token', () => {
  it('create makes a token that never expires with --expires never', async () => {
    await serve();
    const { code, stderr } = await run(['token', 'create', 'ci', '--expires', 'never']);
    expect(code).toBe(0);
    expect(stderr).toContain(', never expires.');
  });

  it('create prints only the token on standard output', async () => {
    await serve();
    const { code, stdout, stderr } = await run(['token', 'create', 'ci', '--role', 'operator']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^dbk_[\w-]{43}\n$/);
    expect(stderr).toContain('with role operator');
  });
});

describe('a rejected request', () => {
  it('returns 4 and a hint if the token is wrong', async () => {
    await serveIdle();
    const wrong = { ...env, DOCKBELL_TOKEN: `dbk_${'A'.repeat(43)}` };
    const { code, stdout, stderr } = await run(['status'], { env: wrong });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^The API token is not valid\..*\nCheck --token/);
  });

  it('requires --factory if the daemon has several factories', async () => {
    await serveIdle();
    const { code, stderr } = await runCli(['webhook', 'list'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('Add --factory (or set DOCKBELL_FACTORY) with one of: other, payments.');
  });
});
