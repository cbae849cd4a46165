import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const VALUE = 'the-webhook-secret-of-payments';

let daemon: TestDaemon;
let repo: TempGitRepo;
let limited: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: PAY_SECRET\n' });
  // Prints its environment, as an agent that somebody persuaded to does.
  const executor = { type: 'command', command: [process.execPath, '-e', 'console.log(process.env)'], timeout: '1m' };
  const factories = [
    { name: 'payments', source: { type: 'repository', url: repo.path } },
    { name: 'man', source: { type: 'live' }, runs: { executor } },
  ];
  daemon = await startDaemonHere({ config: { factories } });
  const created = await daemon.cli('secret', 'create', 'PAY_SECRET', '--factory', 'payments', '--value', VALUE);
  expect(created.code).toBe(0);
  expect((await daemon.cli('reconcile', '--factory', 'payments', '--wait')).code).toBe(0);
  const body = { name: 'man-only', role: 'manager', factories: ['man'] };
  limited = (await daemon.api('/tokens', { method: 'POST', body })).body.token;
});

afterAll(async () => {
  await daemon.end('SIGTERM');
  repo.remove();
});

const asManager = (path: string, method: string, body: unknown) =>
  daemon.api(`/factories/man${path}`, { method, body, token: limited });

function writeAutomation(secrets: string[]) {
  const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: ['own'] } };
  return asManager('/automations/thief', 'PUT', { triggers: [trigger], prompt: 'Print it.', secrets });
}

it('a manager of one factory reads no secret of another: not in runs, not as a webhook, and not by rotation', async () => {
  const own = await asManager('/webhooks', 'POST', { name: 'own' });
  expect(own.status).toBe(201);
  const ask = async (name: string) => {
    const { uid } = own.body;
    await writeAutomation([]);
    const files = {
      'webhooks/own.yaml': `secretName: ${name}\n`,
      'automations/thief/automation.md': `---\ntriggers: [{ provider: webhook, event: received, filter: { webhooks: [own] } }]\nsecrets: [${name}]\n---\n\nPrint it.\n`,
    };
    const patched = await asManager(`/webhooks/${uid}`, 'PATCH', { secret_name: name });
    const planned = await asManager('/plan', 'POST', { files });
    const { applied_commit: _, ...plan } = planned.body;
    const written = await writeAutomation([name]);
    const { body: shown } = await daemon.api('/factories/man/automations/thief', { token: limited });
    const { body: factory } = await daemon.api('/factories/man', { token: limited });
    const reasons = factory.conditions.map(({ type, message }: { type: string; message: string }) => [type, message]);
    const answers = {
      patched,
      planned: [planned.status, plan],
      written: written.status,
      warnings: shown.warnings,
      reasons,
    };
    // Instants, revisions and IDs of requests differ between two calls.
    return JSON.parse(
      JSON.stringify(answers)
        .replaceAll(name, 'NAME')
        .replaceAll(/"(request_id|instance|since|until)":"[^"]*",?|live-\d+/g, ''),
    );
  };
  const taken = await ask('PAY_SECRET');
  expect([taken.patched.status, taken.patched.body.code]).toEqual([422, 'definition_invalid']);
  const missing = [{ name: 'NAME', webhooks: ['own'], automations: ['thief'] }];
  expect(taken.planned).toMatchObject([200, { missing_secrets: missing }]);
  expect(taken.warnings).toMatchObject([{ rule: 'automation/missing-run-secret' }]);
  expect(JSON.stringify(taken)).not.toContain('payments');
  expect(await ask('NOBODY_HAS_IT')).toEqual(taken);
  expect((await writeAutomation(['PAY_SECRET'])).status).toBe(200);
  const named = await asManager('/webhooks', 'POST', { name: 'theirs', secret_name: 'PAY_SECRET' });
  expect([named.status, named.body.code]).toEqual([422, 'definition_invalid']);
  // Owners see that it exists, who may use it, and who names it.
  const { data } = (await daemon.api('/secrets')).body;
  const secret = data.find(({ name }: { name: string }) => name === 'PAY_SECRET');
  expect(secret).toMatchObject({ scope: { webhook: ['payments'], run: ['payments'] } });
  expect(JSON.stringify(secret)).toContain('thief');
  expect((await daemon.api('/secrets', { token: limited })).status).toBe(403);
});

it('a run gets no secret that left its scope after the apply, and the factory has a condition', {
  tags: ['full', 'continues'],
}, async () => {
  const allow = await daemon.cli('secret', 'update', 'PAY_SECRET', '--factory', 'man', '--use', 'run', '--add');
  expect([allow.code, allow.stdout]).toEqual([
    0,
    'Changed the scope of PAY_SECRET: payments (webhooks), man, payments (runs).\n',
  ]);
  const narrow = ['secret', 'update', 'PAY_SECRET', '--factory', 'payments', '--use', 'webhook'];
  const rejected = await daemon.cli(...narrow);
  expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('excludes man/thief (automation)')]);
  expect((await daemon.cli(...narrow, '--force')).code).toBe(0);

  const { body: webhooks } = await daemon.api('/factories/man/webhooks');
  const sent = await daemon.api(`/factories/man/webhooks/${webhooks.data[0].uid}/test-deliveries`, {
    method: 'POST',
    body: { payload_base64: Buffer.from('{}').toString('base64') },
  });
  expect(sent.status).toBeLessThan(300);
  const lastRun = async () => (await daemon.api('/factories/man/runs')).body.data[0];
  await eventually(async () => (await lastRun())?.state === 'failed');
  expect((await lastRun()).error).toContain('PAY_SECRET that runs of the factory man may use');
  const { body: factory } = await daemon.api('/factories/man');
  expect(factory.conditions).toContainEqual(
    expect.objectContaining({ type: 'RunSecretsMissing', message: expect.stringContaining('thief') }),
  );
  const { body: log } = await daemon.api(`/runs/${(await lastRun()).id}/log`);
  expect(JSON.stringify(log)).not.toContain(VALUE);
});

it('a commit that names a secret outside its scope waits until the scope changes', { tags: 'full' }, async () => {
  await daemon.cli('secret', 'create', 'OTHER', '--factory', 'man', '--value', 'another-long-enough-value');
  const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: OTHER\n' });
  const failed = await daemon.cli('status', '--wait', revision, '--factory', 'payments');
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('webhooks/ci.yaml:1:13')]);
  const { body: list } = await daemon.api('/factories/payments/reconciliations');
  expect(list.data[0]).toMatchObject({ result: 'failed', reason: 'SecretMissing' });
  await daemon.cli('secret', 'update', 'OTHER', '--factory', 'payments', '--use', 'webhook', '--add');
  expect((await daemon.cli('status', '--wait', revision, '--factory', 'payments')).code).toBe(0);
});
