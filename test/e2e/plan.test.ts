import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const TOKEN = 'a-token-of-more-than-16-characters';

function declareAutomation(webhook: string, filter: string, prompt = 'Look into it.'): string {
  const front = `triggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [${webhook}], payload: ${filter} }\n`;
  return `---\n${front}---\n${prompt}\n`;
}

const AGENT_FILES = { 'agents/triage/agent.md': 'You triage.\n', 'skills/old/SKILL.md': 'Old.\n' };

const LIVE: Record<string, string> = {
  ...AGENT_FILES,
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'webhooks/old.yaml': 'secretName: CI_SECRET\n',
  'webhooks/switch.yaml': 'secretName: CI_SECRET\n',
  'automations/triage/automation.md': declareAutomation('ci', '{ level: [error, fatal] }'),
};

const PLANNED: Record<string, string> = {
  ...AGENT_FILES,
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'webhooks/switch.yaml': 'secretName: CI_SECRET\nenabled: false\n',
  'webhooks/stripe.yaml': 'authMode: signature\nsignatureScheme: stripe\nsecretName: STRIPE_SECRET\n',
  'automations/triage/automation.md': declareAutomation('ci', '{ level: [fatal], servce: [api] }'),
  'automations/charge/automation.md': declareAutomation('stripe', '{ type: [charge.failed] }'),
};

let daemon: TestDaemon;
let repo: TempGitRepo;
const folder = createTempDir('plan');

function writeTree(name: string, files: Record<string, string>): string {
  const root = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(LIVE);
  daemon = await startDaemonHere({
    config: { factories: [{ name: 'payments', source: { type: 'repository', url: repo.path } }] },
  });
  await daemon.api('/secrets/CI_SECRET', { method: 'PUT', body: { value: TOKEN } });
  const uid = await eventually(async () => {
    const { body } = await daemon.api('/factories/payments/webhooks');
    return (body.data ?? []).find((webhook: { name: string }) => webhook.name === 'ci')?.uid as string | undefined;
  });
  for (const level of ['info', 'error', 'error', 'fatal', 'error']) {
    const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'x-service-delivery-id': crypto.randomUUID() },
      body: JSON.stringify({ level, text: '`<b>|@everyone' }),
    });
    expect(answer.status).toBe(202);
  }
});

afterAll(async () => {
  await daemon?.end('SIGTERM');
  repo.remove();
});

/** The status without the time of the last automatic pass, because a new secret starts a pass. */
async function showFactory() {
  const { attempted_at: _, ...rest } = (await daemon.api('/factories/payments')).body;
  return rest;
}

describe('dockbell plan', () => {
  it('shows what is created, disabled and deleted, which secret is missing, and what the changed filter would have started', async () => {
    const before = await showFactory();
    const { code, stdout } = await daemon.cli('plan', writeTree('planned', PLANNED));
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    for (const line of [
      '  + webhook stripe',
      '  ~ webhook switch disabled: senders get 404',
      '      enabled: true → false',
      '  - webhook old deleted: senders get 404',
      '  + automation charge',
      '  ~ automation triage',
      '      triggers[0].filter.payload.level: ["error","fatal"] → ["fatal"]',
      'waits for the secret STRIPE_SECRET of stripe; create it: dockbell secret create STRIPE_SECRET; if it exists, extend its scope',
      '  charge: no stored delivery of its webhooks',
      '  triage: 4 starts → 0',
      '2 to create, 1 to disable, 1 to delete, 1 to change.',
    ]) {
      expect(lines).toContain(line);
    }
    expect(stdout).toContain(`${daemon.ingressUrl}/webhooks/w/wh_`);
    expect(stdout).toContain('none of the 5 stored deliveries looked at has the key servce');
    expect(stdout.match(/^ {4}- dlv_/gm)).toHaveLength(4);
    expect(await showFactory()).toEqual(before);
  });

  it('names a misspelled folder, as the reconciliation of a commit with it does', { tags: 'full' }, async () => {
    const misspelled = { 'automation/triage/automation.md': LIVE['automations/triage/automation.md']! };
    const { 'automations/triage/automation.md': _, ...others } = LIVE;
    const note = 'The folder automation/ is ignored. The folder of the definition is automations/';
    const planned = await daemon.cli('plan', writeTree('misspelled', { ...others, ...misspelled }));
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining(note)]);

    const other = await createTempGitRepo();
    await other.commit({ ...AGENT_FILES, ...misspelled, 'webhooks/README.md': '' });
    const source = { type: 'repository', url: other.path };
    const committed = await startDaemonHere({ config: { factories: [{ name: 'payments', source }] } });
    const { id } = await eventually(async () => {
      const { body } = await committed.api('/factories/payments/reconciliations');
      return body.data?.find(({ result }: { result: string }) => result === 'applied');
    });
    const { body } = await committed.api(`/factories/payments/reconciliations/${id}`);
    expect(JSON.stringify(body)).toContain(note);
    await committed.end('SIGTERM');
    other.remove();
  });

  it('exits with 3 if requested and there are changes, and with 0 if there are none', {
    tags: ['full', 'continues'],
  }, async () => {
    expect((await daemon.cli('plan', join(folder, 'planned'), '--detailed-exitcode')).code).toBe(3);
    const same = await daemon.cli('plan', writeTree('same', LIVE), '--detailed-exitcode');
    expect([same.code, same.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'No changes.']);
  });

  it('lists agent files that are added, changed and removed, in every format', { tags: 'full' }, async () => {
    const { 'skills/old/SKILL.md': _, ...rest } = LIVE;
    const files = { ...rest, 'agents/triage/agent.md': 'You triage well.\n', 'skills/new/SKILL.md': 'New.\n' };
    const tree = writeTree('agent-files', files);
    const text = await daemon.cli('plan', tree, '--detailed-exitcode');
    expect([text.code, text.stdout.split('\n').slice(1, 5)]).toEqual([
      3,
      [
        '  + agent file skills/new/SKILL.md',
        '  ~ agent file agents/triage/agent.md',
        '  - agent file skills/old/SKILL.md deleted',
        '1 to create, 1 to change, 1 to delete.',
      ],
    ]);
    const plan = JSON.parse((await daemon.cli('plan', tree, '--format', 'json')).stdout);
    expect(plan.agent_files).toEqual({
      create: ['skills/new/SKILL.md'],
      update: ['agents/triage/agent.md'],
      delete: ['skills/old/SKILL.md'],
    });
    const { stdout } = await daemon.cli('plan', tree, '--format', 'markdown');
    expect(stdout).toContain('| change | agent file `agents/triage/agent.md` |  |');
    const body = { files: Object.fromEntries(Object.entries(LIVE).filter(([path]) => path.endsWith('.yaml'))) };
    const without = await daemon.api('/factories/payments/plan', { method: 'POST', body });
    expect(without.body.agent_files).toBeNull();
  });

  it('prints the document of the API as JSON', async () => {
    const { stdout } = await daemon.cli('plan', join(folder, 'planned'), '--format', 'json');
    const plan = JSON.parse(stdout);
    expect(plan.webhooks.create).toMatchObject([{ name: 'stripe', uid: null, ingress_url: null }]);
    expect(plan.automations.create[0].changes).toContainEqual({ key: 'listensTo', from: null, to: [['stripe']] });
    expect(plan.missing_secrets).toEqual([{ name: 'STRIPE_SECRET', webhooks: ['stripe'], automations: [] }]);
    expect(plan.backtest).toMatchObject({ stored: 5, examined: 5, sampled: false });
    const file = 'automations/triage/automation.md';
    const found = { rule: 'filter/unseen-key', severity: 'warning', file, path: 'triggers[0].filter.payload.servce' };
    // The position of the key itself, in `filter: { webhooks: [ci], payload: { level: [fatal], servce: [api] } }`.
    Object.assign(found, { line: 5, column: 58 });
    expect(plan.diagnostics).toContainEqual(expect.objectContaining(found));
  });

  it('reports keys that no delivery has with the severity of the factory', { tags: 'full' }, async () => {
    const declare = (severity: string) => ({
      ...PLANNED,
      'factory.yaml': `schemaVersion: v1alpha1\nname: payments\nlint: { filter/unseen-key: ${severity} }\n`,
    });
    const off = await daemon.cli('plan', writeTree('off', declare('off')));
    expect([off.code, off.stdout.includes('[filter/unseen-key]')]).toEqual([0, false]);
    const error = await daemon.cli('plan', writeTree('error', declare('error')));
    expect([error.code, error.stdout.includes('[filter/unseen-key]')]).toEqual([1, true]);
  });

  it('writes a pull request comment in which external text can neither format nor mention', async () => {
    const evil = declareAutomation('ci', '{ level: ["`|<img src=x>@everyone"] }');
    const tree = writeTree('evil', { ...LIVE, 'automations/triage/automation.md': evil });
    const { code, stdout } = await daemon.cli('plan', tree, '--format', 'markdown');
    expect(code).toBe(0);
    expect(stdout).toContain('### Dockbell plan for `payments`: 1 to change');
    expect(stdout).toContain('<details><summary>triage: 4 starts → 0</summary>');
    const outsideOfCode = stdout.replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, '');
    expect(outsideOfCode).not.toMatch(/<img|@everyone/);
  });

  it('shows the errors of a tree with their location, and exits with 1', { tags: 'full' }, async () => {
    const tree = writeTree('wrong', { ...LIVE, 'webhooks/ci.yaml': 'secretName: CI_SECRET\nauthmode: token\n' });
    const { code, stdout } = await daemon.cli('plan', tree);
    expect([code, stdout.split('\n')[0]]).toEqual([
      1,
      'webhooks/ci.yaml:2:1 error Unknown key "authmode". [webhook/unknown-key]',
    ]);
  });

  it('rejects an error that only the daemon can detect: a UID that matches no webhook', { tags: 'full' }, async () => {
    const front =
      'triggers: [{ provider: webhook, event: received, filter: { webhook_ids: [wh_00000000000000000000000000] } }]';
    const lint = 'schemaVersion: v1alpha1\nname: payments\nlint: { automation/unknown-uid: error }\n';
    const gone = { ...LIVE, 'factory.yaml': lint, 'automations/gone/automation.md': `---\n${front}\n---\nLook.\n` };
    const { code, stdout } = await daemon.cli('plan', writeTree('gone', gone));
    expect([code, stdout.includes('error no webhook of this factory has the UID')]).toEqual([1, true]);
  });

  it('exits with 2 for a folder without a factory, which is probably the wrong one', { tags: 'full' }, async () => {
    const { code, stdout } = await daemon.cli('plan', writeTree('none', { 'README.md': 'Nothing here.\n' }));
    expect([code, stdout.includes('[factory/not-found]')]).toEqual([2, true]);
  });

  it('shows an error that only the daemon can detect: too many webhooks', { tags: 'full' }, async () => {
    const many = Object.fromEntries(
      Array.from({ length: 21 }, (_, i) => [`webhooks/w${i}.yaml`, 'secretName: CI_SECRET\n']),
    );
    const { code, stdout } = await daemon.cli('plan', writeTree('many', many));
    expect(code).toBe(1);
    expect(stdout).toContain('[webhook/too-many]');
  });
});
