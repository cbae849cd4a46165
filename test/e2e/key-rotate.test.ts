import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const config = { factories: [{ name: 'rows', source: { type: 'live' } }] };

it('the master key changes while the daemon runs', { tags: 'full' }, () =>
  changeMasterKey({ versions: 3, isKilled: false }),
);

it('a kill while the master key changes loses nothing', { tags: 'full', timeout: 240_000 }, () =>
  changeMasterKey({ versions: 300, isKilled: true }),
);

async function changeMasterKey({ versions, isKilled }: { versions: number; isKilled: boolean }): Promise<void> {
  const dataDir = createTempDir('rotate-online');
  const newKeyFile = join(createTempDir('new-key'), 'new.key');
  const key = randomBytes(32).toString('base64');
  writeFileSync(newKeyFile, `${key}\n`, { mode: 0o600 });
  const keyFile = join(dataDir, 'master.key');
  const start = () => startTestDaemon({ config, dataDir });
  let daemon: TestDaemon = await start();
  const body = { name: 'ci' };
  const created = await daemon.api('/factories/rows/webhooks', { method: 'POST', body });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const webhook = created.body;
  const post = async (path: string) => {
    const headers = { authorization: `Bearer ${webhook.secret}`, 'content-type': 'application/json' };
    const url = `${daemon.ingressUrl}${new URL(path).pathname}`;
    return (await fetch(url, { method: 'POST', headers, body: `{"n":${Math.random()}}` })).status;
  };
  for (let version = 1; version <= versions; version++) {
    await daemon.api('/secrets/MANY', { method: 'PUT', body: { value: `value ${version}` } });
  }

  if (isKilled) {
    void daemon.api('/master-key/rotations', { method: 'POST', body: { new_key: key } }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 15));
    await daemon.end('SIGKILL');
    daemon = await start();
  }
  expect(await post(webhook.ingress_url)).toBe(202);

  const rotated = await daemon.cli('key', 'rotate', '--new-key-file', newKeyFile);
  expect(rotated.code).toBe(0);
  expect(rotated.stdout + rotated.stderr + daemon.output()).not.toContain(key);
  expect(readFileSync(keyFile, 'utf8').trim()).toBe(key);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('master.key.until-'))).toHaveLength(1);
  await daemon.api('/secrets/MANY', { method: 'PUT', body: { value: 'after the rotation' } });
  expect(await daemon.end('SIGTERM')).toBe(0);

  daemon = await start();
  expect(await post(webhook.ingress_url)).toBe(202);
  expect(daemon.output()).not.toContain('cannot be');
  expect(await daemon.end('SIGTERM')).toBe(0);
}
