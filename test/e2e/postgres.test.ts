import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { PostgresProxy } from '../helpers/postgres-proxy.ts';
import { withClient } from '../helpers/start-postgres.ts';
import {
  launchTestDaemon,
  startDaemonHere,
  startTestDaemon,
  type TestDaemon,
  type TestDaemonOptions,
} from '../helpers/test-daemon.ts';

// One daemon, and a server of PostgreSQL that syncs and is killed.
const ci = useCiOnPostgres();

async function configure(database: string, more: object = {}): Promise<TestDaemonOptions & { url: string }> {
  const url = await ci.server.createDatabase(database);
  // The password is in the environment, as the documentation recommends.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration substitutes it
  const storage = { type: 'postgres', url: '${DATABASE_URL}', ...more };
  const config = { ...configureCiFactory(ci.repo, ['/bin/true']), storage };
  return { config, env: { DATABASE_URL: url }, url };
}

/** The 8 s in which a sender gets an answer, and some for a busy machine. */
const ANSWERED_MS = 12_000;

const send = (url: string, body: object, id?: string) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}`, ...(id === undefined ? {} : { 'x-delivery-id': id }) },
    body: JSON.stringify(body),
  });

it('a daemon stores in PostgreSQL what it shows and runs, also after a restart', async () => {
  const options = await configure('one');
  const daemon = await startDaemonHere(options);
  const uid = await applyCiFactory(daemon);
  const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  expect((await send(url, { start: true, n: 1 })).status).toBe(202);
  expect((await send(url, { start: true, n: 1 })).status).toBe(202);
  expect((await send(url, { start: false, text: 'a NUL: \0' })).status).toBe(202);
  const states = async () => {
    const { body } = await daemon.api('/factories/payments/runs');
    return body.data.map(({ state }: { state: string }) => state);
  };
  await eventually(async () => (await states()).join() === 'succeeded,succeeded', 60_000);
  const listed = await daemon.cli('delivery', 'list', 'ci', '--factory', 'payments');
  expect(listed.code, listed.stderr).toBe(0);
  expect(listed.stdout).toMatch(/Duplicate/);
  const { body: runs } = await daemon.api('/factories/payments/runs');
  expect(await daemon.end('SIGTERM')).toBe(0);

  const again = await startDaemonHere({ ...options, dataDir: daemon.dataDir });
  expect((await again.api('/factories/payments/runs')).body.data).toEqual(runs.data);
  expect(await again.end('SIGTERM')).toBe(0);
});

it('a webhook reads the JSON of its form field, also after a restart', { tags: 'full' }, async () => {
  const options = await configure('forms');
  const config = { ...options.config, factories: [{ name: 'mail', source: { type: 'live' } }] };
  const daemon = await startTestDaemon({ ...options, config });
  const create = async (path: string, body: object) => {
    const created = await daemon.api(`/factories/mail/${path}`, { method: 'POST', body });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    return created.body;
  };
  const webhook = { name: 'mandrill', body_format: 'form', form_field: 'mandrill_events' };
  const { uid, secret } = await create('webhooks', webhook);
  const filter = { webhooks: ['mandrill'], payload: { event: ['open'] } };
  const triggers = [{ provider: 'webhook', event: 'received', filter }];
  await create('automations', { name: 'look', triggers, prompt: 'Look.' });
  const post = async ({ ingressUrl }: TestDaemon, body: string) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/x-www-form-urlencoded' };
    return (await fetch(`${ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body })).status;
  };
  const { body: form } = JSON.parse(readFileSync('test/vectors/cases/json-in-a-form-field.json', 'utf8'));
  for (const sent of [form, form]) expect(await post(daemon, sent)).toBe(202);
  expect(await daemon.end('SIGTERM')).toBe(0);

  const again = await startTestDaemon({ ...options, config, dataDir: daemon.dataDir });
  expect((await again.api('/factories/mail/webhooks')).body.data).toMatchObject([webhook]);
  expect(await post(again, form.replace('m1', 'm2'))).toBe(202);
  expect(await post(again, 'payload=%7B%7D')).toBe(400);
  const list = async () => (await again.api('/factories/mail/deliveries')).body.data;
  // Rejected requests are stored after their answer.
  await expect
    .poll(list)
    .toMatchObject([
      { label: 'Rejected (invalid JSON)', reason: 'missing_form_field' },
      { label: 'Accepted', runs: [expect.stringMatching(/^run_/)] },
      { label: 'Duplicate' },
      { label: 'Accepted', runs: [expect.stringMatching(/^run_/)] },
    ]);
  const { body: payload } = await again.api(`/deliveries/${(await list())[1].id}/payload`);
  expect(payload).toEqual([{ event: 'open', _id: 'm2' }]);
  expect(await again.end('SIGTERM')).toBe(0);
});

it('a daemon with the smallest pool of connections accepts, executes and shows', { tags: 'full' }, async () => {
  const daemon = await startTestDaemon(await configure('smallest', { pool: 2 }));
  const uid = await applyCiFactory(daemon);
  const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  const sent = await Promise.all(Array.from({ length: 30 }, (_, n) => send(url, { start: n < 6, n })));
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202]));
  // Each of the six deliveries starts two automations.
  const runs = async () => (await daemon.api('/factories/payments/runs')).body.data;
  await eventually(async () => {
    const states = (await runs()).map(({ state }: { state: string }) => state);
    return states.length === 12 && states.every((state: string) => state === 'succeeded');
  }, 60_000);
  const [{ id }] = await runs();
  expect((await daemon.cli('run', 'log', id)).code).toBe(0);
  expect(await daemon.end('SIGTERM')).toBe(0);
});

it('a sender gets 503 with Retry-After while PostgreSQL does not answer, and then exactly one delivery is stored', {
  tags: 'full',
}, async () => {
  const proxy = await PostgresProxy.start(ci.server.url);
  const options = await configure('stalled');
  const daemon = await startTestDaemon({ ...options, env: { DATABASE_URL: proxy.urlOf(options.url) } });
  const url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
  proxy.stall();
  const begunAt = performance.now();
  const rejected = await send(url, { start: false, n: 1 }, 'one');
  expect(performance.now() - begunAt).toBeLessThan(ANSWERED_MS);
  expect(rejected.status).toBe(503);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  proxy.resume();
  await eventually(async () => (await send(url, { start: false, n: 1 }, 'one')).status === 202, 60_000);
  const stored = await withClient(options.url, (client) =>
    client.query('SELECT count(*)::int AS n FROM deliveries WHERE label = 0'),
  );
  expect(stored.rows).toEqual([{ n: 1 }]);
  expect(await daemon.end('SIGTERM')).toBe(0);
  await proxy.close();
});

it('a daemon that could lose a confirmed delivery ends with the code of a configuration that is not valid', {
  tags: 'full',
}, async () => {
  const options = await configure('unsafe');
  const unsafe = 'ALTER DATABASE unsafe SET synchronous_commit = off';
  await withClient(options.url, (client) => client.query(unsafe));
  const launched = launchTestDaemon(options);
  expect(await launched.exited).toBe(2);
  expect(launched.output()).toContain('synchronous_commit is off');
  await launched.serving;
});

it('a server that is killed under load loses no accepted delivery, and stores none twice', {
  tags: 'full',
}, async () => {
  const options = await configure('three');
  const daemon = await startTestDaemon(options);
  const uid = await applyCiFactory(daemon);
  const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  const accepted = new Set<number>();
  const answers = new Set<number>();
  let next = 0;
  let isOver = false;
  /** A sender that repeats a delivery until it is accepted, as providers do. */
  const keepSending = async () => {
    while (!isOver) {
      next += 1;
      const n = next;
      while (!accepted.has(n)) {
        const { status } = await send(url, { start: false, n });
        answers.add(status);
        if (status === 202) accepted.add(n);
        else await pause(50);
      }
    }
  };
  const sending = Promise.all(Array.from({ length: 8 }, keepSending));
  for (let kills = 0; kills < 3; kills += 1) {
    const before = accepted.size;
    await eventually(() => accepted.size > before + 40, 60_000);
    await ci.server.kill();
    await pause(300);
    await ci.server.start();
  }
  const before = accepted.size;
  await eventually(() => accepted.size > before + 40, 60_000);
  isOver = true;
  await sending;
  // A short interruption only delays the answers.
  expect([...answers].filter((status) => ![202, 503].includes(status))).toEqual([]);
  const stored = await withClient(options.url, (client) =>
    client.query(
      `SELECT (convert_from(body, 'UTF8')::json ->> 'n')::int AS n FROM deliveries
        JOIN delivery_contents ON delivery = seq WHERE label = 0 ORDER BY n`,
    ),
  );
  expect(stored.rows.map(({ n }) => n)).toEqual([...accepted].sort((a, b) => a - b));
  expect(await daemon.end('SIGTERM')).toBe(0);
});
