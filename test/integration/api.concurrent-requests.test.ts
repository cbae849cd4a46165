import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Daemon } from '../../src/app/daemon.ts';
import { importBuiltApp } from '../helpers/built-app.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const LIVE = ['one', 'two', 'three', 'four', 'five', 'six'];

let daemon: Daemon;
let token: string;

beforeAll(async () => {
  const { startDaemon } = await importBuiltApp();
  const dataDir = createTempDir('concurrent');
  daemon = await startDaemon({
    configFile: null,
    dataDir,
    env: { PATH: process.env.PATH },
    overrides: {
      ingress: { port: 0 },
      admin: { port: 0 },
      factories: [
        ...LIVE.map((name) => ({ name, source: { type: 'live' } })),
        { name: 'kept', source: { type: 'managed' } },
      ],
    },
    log: { format: 'json', destination: { write: () => true } },
  });
  token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
});
afterAll(() => daemon.stop());

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${daemon.adminUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

describe('webhooks of one name that are created at the same moment in several factories', { tags: 'full' }, () => {
  it.each([
    { kind: 'generated', more: {} },
    { kind: 'awaited', more: { auth_mode: 'signature', signature_scheme: 'stripe' } },
  ])('each get a separate $kind secret', async ({ kind, more }) => {
    const answers = await Promise.all(
      LIVE.map((factory) => call('POST', `/factories/${factory}/webhooks`, { name: `race-${kind}`, ...more })),
    );
    expect(answers.map(({ status }) => status)).toEqual(LIVE.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.secret_name)).size).toBe(LIVE.length);
  });
});

describe('a PUT', { tags: 'full' }, () => {
  it('of one secret never conflicts, and one of twenty creates it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call('PUT', '/secrets/SHARED', { value: `value ${index}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => body.version)).size).toBe(20);
  });

  it.each(['one', 'kept'])(
    'of an automation of the factory %s answers 201 when it creates, and 200 after',
    async (factory) => {
      await call('POST', `/factories/${factory}/webhooks`, { name: 'ci' });
      const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } }];
      const put = (prompt: string) => call('PUT', `/factories/${factory}/automations/fix`, { triggers, prompt });
      expect([await put('Fix it.'), await put('Fix it.'), await put('Fix all.')].map(({ status }) => status)).toEqual([
        201, 200, 200,
      ]);
    },
  );
});
