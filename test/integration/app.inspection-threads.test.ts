import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Daemon } from '../../src/app/daemon.ts';
import { importBuiltApp } from '../helpers/built-app.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const F = '/factories/one';
const PAYLOADS = 20;

let daemon: Daemon;
let token: string;
let webhook: { uid: string; ingress_url: string; secret: string };
let delivery: string;

beforeAll(async () => {
  const { startDaemon } = await importBuiltApp();
  const dataDir = createTempDir('inspection');
  daemon = await startDaemon({
    configFile: null,
    dataDir,
    env: { PATH: process.env.PATH },
    overrides: {
      ingress: { port: 0 },
      admin: { port: 0 },
      factories: [{ name: 'one', source: { type: 'live' } }],
    },
    log: { format: 'json', destination: { write: () => true } },
  });
  token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  webhook = (await call('POST', `${F}/webhooks`, { name: 'ci' })).body;
  const triggers = [trigger({ level: ['fatal'] })];
  await call('PUT', `${F}/automations/fix`, { triggers, prompt: 'Fix it.' });
  for (let index = 0; index < PAYLOADS; index++) await deliver(index);
  delivery = (await call('GET', `${F}/deliveries?limit=1`)).body.data[0].id;
});
afterAll(() => daemon.stop());

function trigger(payload: object) {
  return { provider: 'webhook', event: 'received', filter: { webhooks: ['ci'], payload } };
}

/** A payload of some 200 KB with many keys. */
function makePayload(index: number) {
  const items = Array.from({ length: 2_000 }, (_, id) => ({ id, [`k${id % 400}`]: 'value '.repeat(8), a: { b: id } }));
  return { level: 'error', index, items };
}

async function deliver(index: number): Promise<void> {
  const response = await fetch(webhook.ingress_url, {
    method: 'POST',
    headers: { authorization: `Bearer ${webhook.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(makePayload(index)),
  });
  expect(response.status).toBe(202);
}

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${daemon.adminUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  const answer: any = await response.json();
  return { status: response.status, headers: response.headers, body: answer };
}

const test = (body: object) => call('POST', `${F}/filters/test`, body);
const QUESTIONS = {
  'payload-keys': () => call('GET', `${F}/webhooks/${webhook.uid}/payload-keys`),
  backtests: () => call('POST', `${F}/backtests`, { automation: 'fix', triggers: [trigger({ level: ['error'] })] }),
  'filters/test': () => test({ filter: { items: { a: { b: [1] } } }, delivery }),
  explain: () => call('GET', `/deliveries/${delivery}/explain`),
  plan: () => {
    const files: Record<string, string> = { 'webhooks/ci.yaml': 'secretName: CI_WEBHOOK_SECRET\n' };
    const front = 'triggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [ci] }\n';
    for (let index = 0; index < 300; index++) {
      files[`automations/a${index}/automation.md`] = `---\n${front}---\nFix it.\n`;
    }
    return call('POST', `${F}/plan`, { files });
  },
};

describe('questions of readers', () => {
  it.each(Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[])(
    'are answered outside of the thread that takes deliveries: %s',
    { tags: 'full' },
    async (name) => {
      // The first answer starts the thread.
      expect((await QUESTIONS[name]()).status).toBe(200);
      const [before, beforeHere] = [process.cpuUsage(), process.threadCpuUsage()];
      for (let times = 0; times < 3; times++) expect((await QUESTIONS[name]()).status).toBe(200);
      const [all, here] = [process.cpuUsage(before), process.threadCpuUsage(beforeHere)];
      // The client of this test and the HTTP server run on this thread as well.
      expect(here.user + here.system).toBeLessThan((all.user + all.system) / 2);
    },
  );

  it('wait for their turn in a bounded queue', { tags: 'full' }, async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, QUESTIONS.backtests));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(9);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.body.code).toBe('too_many_requests');
    expect(refused[0]!.headers.get('retry-after')).toBe('2');
  });

  it('return the same as the functions: results, keys, counts, findings', async () => {
    expect((await test({ filter: { level: ['error'] }, delivery })).body.verdict).toBe('Would trigger');
    expect((await test({ automation: 'fix', delivery })).body).toMatchObject({
      verdict: 'Would not trigger',
      decided_by: 'level',
    });
    const invalid = await test({ filter: { level: [] }, payload: {} });
    expect([invalid.status, invalid.body.code, invalid.body.errors[0].pointer]).toEqual([
      422,
      'invalid_filter',
      '#/filter/level',
    ]);
    expect((await QUESTIONS.explain()).body).toMatchObject({
      decisions: [{ automation: 'fix', outcome: 'filtered', path: 'level', expected: ['fatal'], actual: 'error' }],
      next_cursor: null,
    });
    const { examined, keys } = (await QUESTIONS['payload-keys']()).body;
    expect([examined, keys[0]]).toMatchObject([PAYLOADS, { payloads: PAYLOADS }]);
    expect((await QUESTIONS.backtests()).body.automations).toMatchObject([
      { automation: 'fix', before: 0, after: PAYLOADS, gained_count: PAYLOADS },
    ]);
  });

  it('check the values of secrets without handing them out', async () => {
    await call('PUT', '/secrets/WEAK', { value: 'short' });
    const plan = await call('POST', `${F}/plan`, {
      files: { 'webhooks/ci.yaml': 'secretName: WEAK\n', 'webhooks/new.yaml': 'secretName: MISSING\n' },
    });
    expect(plan.body.diagnostics.map(({ rule }: { rule: string }) => rule)).toEqual(
      expect.arrayContaining(['webhook/weak-secret', 'secret/missing']),
    );
    expect(plan.body.missing_secrets).toMatchObject([{ name: 'MISSING', webhooks: ['new'] }]);
  });
});
