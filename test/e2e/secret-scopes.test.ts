import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

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
  daemon = await startTestDaemon({ config: { factories } });
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
  const written = await writeAutomation(['PAY_SECRET']);
  expect([written.status, written.body.code]).toEqual([422, 'definition_invalid']);
  expect(written.body.detail).toContain('PAY_SECRET does not include runs of the factory man');
  expect(JSON.stringify(written.body)).not.toContain('payments');

  const named = await asManager('/webhooks', 'POST', { name: 'theirs', secret_name: 'PAY_SECRET' });
  expect([named.status, named.body.code]).toEqual([422, 'definition_invalid']);
  const patched = await asManager(`/webhooks/${own.body.uid}`, 'PATCH', { secret_name: 'PAY_SECRET' });
  expect([patched.status, patched.body.code]).toEqual([422, 'definition_invalid']);
  const files = { 'webhooks/own.yaml': 'secretName: PAY_SECRET\n' };
  const plan = await asManager('/plan', 'POST', { files });
  expect(plan.body.diagnostics).toMatchObject([
    { rule: 'secret/outside-scope', severity: 'error', file: 'webhooks/own.yaml', line: 1 },
  ]);
  expect((await daemon.api('/secrets', { token: limited })).status).toBe(403);
});

it('a run gets no secret that left its scope after the apply, and the factory has a condition', async () => {
  const allow = await daemon.cli('secret', 'update', 'PAY_SECRET', '--factory', 'man', '--use', 'run', '--add');
  expect([allow.code, allow.stdout]).toEqual([
    0,
    'Changed the scope of PAY_SECRET: payments (webhooks), man, payments (runs).\n',
  ]);
  expect((await writeAutomation(['PAY_SECRET'])).status).toBe(201);
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
  expect((await lastRun()).error).toContain('does not include runs of the factory man');
  const { body: factory } = await daemon.api('/factories/man');
  expect(factory.conditions).toContainEqual(
    expect.objectContaining({ type: 'SecretsOutsideScope', message: expect.stringContaining('thief') }),
  );
  const { body: log } = await daemon.api(`/runs/${(await lastRun()).id}/log`);
  expect(JSON.stringify(log)).not.toContain(VALUE);
});

it('a commit that names a secret outside its scope is invalid until the scope changes', async () => {
  await daemon.cli('secret', 'create', 'OTHER', '--factory', 'man', '--value', 'another-long-enough-value');
  const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: OTHER\n' });
  const failed = await daemon.cli('status', '--wait', revision, '--factory', 'payments');
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('webhooks/ci.yaml:1:13')]);
  const { body: list } = await daemon.api('/factories/payments/reconciliations');
  expect(list.data[0]).toMatchObject({ result: 'invalid', reason: 'SecretOutsideScope' });
  await daemon.cli('secret', 'update', 'OTHER', '--factory', 'payments', '--use', 'webhook', '--add');
  expect((await daemon.cli('status', '--wait', revision, '--factory', 'payments')).code).toBe(0);
});
