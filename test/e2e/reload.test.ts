import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { type DaemonProcess, startTestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'ci-secret-canary-0001';
const AUTOMATION =
  '---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [ci] }\n---\nDo it.\n';

let payments: TempGitRepo;
let billing: TempGitRepo;
let daemon: DaemonProcess;
let folder: string;

const describeFactory = (name: string, { path }: TempGitRepo, script?: string) => ({
  name,
  source: { type: 'repository', url: path },
  ...(script === undefined ? {} : { runs: { executor: { type: 'command', command: [join(folder, script)] } } }),
});

/** The keys that the tests write. */
interface WrittenConfig {
  limits: Record<string, number>;
  log?: { level: string };
  backup?: { every: string; keep?: number; dir: string };
  admin: { port: number; sessionIdle?: string };
  factories: ReturnType<typeof describeFactory>[];
}

function writeConfig(change: (config: WrittenConfig) => void): void {
  const file = join(daemon.dataDir, 'dockbell.yaml');
  const config = parse(readFileSync(file, 'utf8'));
  change(config);
  writeFileSync(file, stringify(config));
}

async function deliver(factory: string, body: string): Promise<number> {
  const { body: webhooks } = await daemon.api(`/factories/${factory}/webhooks`);
  return deliverTo(webhooks.data[0].ingress_url, body);
}

async function deliverTo(url: string, body: string): Promise<number> {
  return (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${SECRET}` }, body })).status;
}

const reachesLog = (factory: string, text: string) =>
  eventually(async () => {
    const { body } = await daemon.api(`/factories/${factory}/runs?limit=1`);
    const run = body.data[0];
    if (run?.state !== 'succeeded') return null;
    return (await daemon.api(`/runs/${run.id}/log`)).body === text;
  }, 20_000);

const isApplied = (factory: string) =>
  eventually(async () => (await daemon.api(`/factories/${factory}`)).body.applied_revision, 20_000);

beforeAll(async () => {
  [payments, billing] = await Promise.all([createTempGitRepo(), createTempGitRepo()]);
  const files = { 'webhooks/ci.yaml': 'secretName: CI_SECRET\n', 'automations/act/automation.md': AUTOMATION };
  await Promise.all([payments.commit(files), billing.commit(files)]);
  folder = createTempDir('reload');
  for (const name of ['first', 'second']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  daemon = await startTestDaemon({ config: { factories: [describeFactory('payments', payments, 'first')] } });
  await daemon.cli('secret', 'create', 'CI_SECRET', '--value', SECRET, '--all-factories');
  await isApplied('payments');
});

afterAll(async () => {
  await daemon?.end('SIGKILL');
  payments?.remove();
  billing?.remove();
});

it('a reload applies limits, a new executor and a new factory, and lists what needs a restart', async () => {
  expect(await deliver('payments', '{"n":1}')).toBe(202);
  await reachesLog('payments', 'first\n');
  writeConfig((config) => {
    config.limits = { bodyBytes: 1024 };
    config.admin.sessionIdle = '1h';
    config.factories = [describeFactory('payments', payments, 'second'), describeFactory('billing', billing, 'first')];
  });
  expect(await daemon.cli('reload')).toMatchObject({
    code: 0,
    stdout:
      'Applied: limits.bodyBytes\nNew factories: billing\nChanged factories: payments\nTakes effect after a restart: admin.sessionIdle\n',
    stderr: '',
  });
  expect(await deliver('payments', `{"n":"${'x'.repeat(2000)}"}`)).toBe(413);
  expect(await deliver('payments', '{"n":2}')).toBe(202);
  await reachesLog('payments', 'second\n');
  await isApplied('billing');
  expect(await deliver('billing', '{"n":3}')).toBe(202);
  await reachesLog('billing', 'first\n');
  // The loop of the new configuration follows its repositories.
  const revision = await payments.commit({ 'webhooks/more.yaml': 'secretName: CI_SECRET\n' });
  await eventually(async () => (await daemon.api('/factories/payments')).body.applied_revision === revision, 20_000);
  expect((await daemon.cli('reload')).stdout).toBe('Takes effect after a restart: admin.sessionIdle\n');
});

it('a reload applies limits of failed authentications and the log level', { tags: ['full', 'continues'] }, async () => {
  const countReloads = () => daemon.output().split('configuration reloaded').length - 1;
  const forge = async () => {
    const { body } = await daemon.api('/factories/payments/webhooks');
    const headers = { authorization: 'Bearer wrong' };
    return (await fetch(body.data[0].ingress_url, { method: 'POST', headers, body: '{}' })).status;
  };
  const guess = async () => (await daemon.api('/status', { token: 'dbk_wrong' })).status;
  for (const attempt of [forge, forge, guess, guess]) expect(await attempt()).toBe(401);
  const before = countReloads();
  writeConfig((config) => {
    config.limits.failedAuthPerMinute = 1;
    config.log = { level: 'warn' };
  });
  expect((await daemon.cli('reload')).stdout).toContain('Applied: limits.failedAuthPerMinute, log.level\n');
  expect([await forge(), await forge(), await guess(), await guess()]).toEqual([401, 429, 401, 429]);
  writeConfig((config) => {
    config.limits.failedAuthPerMinute = 30;
    config.log = { level: 'info' };
  });
  expect((await daemon.cli('reload')).stdout).toContain('Applied: limits.failedAuthPerMinute, log.level\n');
  expect([await forge(), await guess()]).toEqual([401, 401]);
  // Only the line of the second reload.
  expect(await eventually(() => countReloads() - before)).toBe(1);
});

it('a reload starts, moves and ends scheduled backups', { tags: 'full' }, async () => {
  const list = (name: string) => (existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : []);
  const isStored = (name: string) => eventually(() => list(name).some((file) => file.endsWith('.tar')), 20_000);
  const readSchedule = async () => (await daemon.api('/backup')).body.schedule;
  expect(await readSchedule()).toBeNull();
  for (const name of ['here', 'there']) {
    const backup = { every: '1h', keep: 1, dir: join(folder, name) };
    writeConfig((config) => {
      config.backup = backup;
    });
    expect((await daemon.cli('reload')).stdout).toMatch(/^Applied: (backup\.every, backup\.keep, )?backup\.dir$/m);
    await isStored(name);
    await eventually(async () => (await readSchedule()).last_success?.file.startsWith(backup.dir));
  }
  // The next one is due when the interval has passed since the last one.
  writeConfig((config) => {
    config.backup!.every = '2h';
  });
  const { next_at: hourly } = await readSchedule();
  expect((await daemon.cli('reload')).stdout).toContain('Applied: backup.every\n');
  expect(Date.parse((await readSchedule()).next_at) - Date.parse(hourly)).toBe(3_600_000);
  writeConfig((config) => {
    delete config.backup;
  });
  await daemon.cli('reload');
  expect(await readSchedule()).toBeNull();
  expect(['here', 'there'].map((name) => list(name).length)).toEqual([1, 1]);
});

it('a configuration that is not valid changes nothing', { tags: ['full', 'continues'] }, async () => {
  const valid = readFileSync(join(daemon.dataDir, 'dockbell.yaml'), 'utf8');
  writeConfig((config) => {
    config.limits = { bodyBytes: 2048, deliveriesPerMinut: 1 };
    config.factories = [];
  });
  const { code, stderr } = await daemon.cli('reload');
  expect(code).toBe(2);
  expect(stderr).toContain('deliveriesPerMinut');
  expect(await deliver('billing', '{"n":4}')).toBe(202);
  expect(await deliver('billing', `{"n":"${'x'.repeat(1500)}"}`)).toBe(413);
  writeFileSync(join(daemon.dataDir, 'dockbell.yaml'), valid);
});

it('SIGHUP reloads, and a factory that the configuration no longer names is not served until it returns', {
  tags: ['full', 'continues'],
}, async () => {
  const { body } = await daemon.api('/factories/billing/webhooks');
  const url = body.data[0].ingress_url;
  const factories = [describeFactory('payments', payments, 'second'), describeFactory('billing', billing, 'first')];
  writeConfig((config) => {
    config.factories = factories.slice(0, 1);
  });
  process.kill(daemon.pid, 'SIGHUP');
  await eventually(async () => (await deliverTo(url, '{"n":5}')) === 404, 10_000);
  expect((await daemon.api('/factories/billing')).body.configured).toBe(false);
  expect(await deliver('payments', '{"n":6}')).toBe(202);
  writeConfig((config) => {
    config.factories = factories;
  });
  expect((await daemon.cli('reload')).stdout).toContain('New factories: billing\n');
  expect(await deliverTo(url, '{"n":7}')).toBe(202);
});
