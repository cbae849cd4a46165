import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyCiFactory,
  CI_AUTOMATIONS,
  CI_TOKEN,
  configureCiFactory,
  declareCiFactory,
} from '../helpers/ci-factory.ts';
import { sendToCi, useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { commitOnto } from '../helpers/commit-onto.ts';
import { readDocument } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { REQUEST_TOKEN, type RequestHost, startRequestHost } from '../helpers/request-host.ts';
import { withClient } from '../helpers/start-postgres.ts';
import { type StaticReceiver, startStaticReceiver } from '../helpers/static-receiver.ts';
import type { DaemonProcess } from '../helpers/test-daemon.ts';

/** More than all other tests send to one webhook. */
const DELIVERIES_PER_MINUTE = 60;
const MORE_WEBHOOKS = {
  'webhooks/off.yaml': 'secretName: CI_SECRET\nenabled: false\n',
  'webhooks/limited.yaml': 'secretName: CI_SECRET\n',
  'webhooks/signed.yaml': 'secretName: CI_SECRET\nauthMode: signature\nsignatureScheme: github\n',
};

const ci = useCiOnPostgres();
let leader: DaemonProcess;
let follower: DaemonProcess;
let url: string;
let receiver: StaticReceiver;
let balancer: Balancer;
let host: RequestHost;
let uids: Record<string, string>;

beforeAll(async () => {
  [receiver, balancer, host] = await Promise.all([
    startStaticReceiver(),
    startBalancer(() => follower ?? leader),
    startRequestHost('github'),
  ]);
  await ci.repo.commit(MORE_WEBHOOKS);
  const config = configureCiFactory(ci.repo, ['/bin/echo', 'the output of a run']);
  const [factory] = config.factories as [object];
  const notify = [{ type: 'webhook', url: receiver.url, secretName: 'SIGNING', allowPrivateAddresses: true }];
  const pullRequests = {
    type: 'github',
    url: host.url,
    repository: 'team/factory',
    secretName: 'CHECKS',
    pollInterval: '1h',
  };
  url = await ci.server.createDatabase('state');
  const replicas = new TestReplicas(url, {
    config: {
      ...config,
      baseUrl: balancer.url,
      limits: { deliveriesPerMinute: DELIVERIES_PER_MINUTE },
      factories: [
        { ...factory, notify, pullRequests },
        { name: 'queued', source: { type: 'live' }, runs: { executor: { type: 'queue' } } },
      ],
    },
  });
  leader = await replicas.start();
  const value = `whsec_${'QUJD'.repeat(8)}`;
  expect((await leader.api('/secrets/SIGNING', { method: 'PUT', body: { value } })).status).toBeLessThan(300);
  expect((await leader.api('/secrets/CHECKS', { method: 'PUT', body: { value: REQUEST_TOKEN } })).status).toBe(201);
  await applyCiFactory(leader);
  follower = await replicas.start();
  const { body } = await leader.api('/factories/payments/webhooks');
  uids = Object.fromEntries(body.data.map(({ name, uid }: { name: string; uid: string }) => [name, uid]));
});
afterAll(async () => {
  for (const daemon of [follower, leader]) await daemon?.end('SIGTERM');
  await receiver?.close();
  await host?.close();
  balancer?.close();
});

interface Balancer {
  url: string;
  close(): void;
}

/** What senders reach: it gives every request to the daemon that `choose` returns. */
async function startBalancer(choose: () => DaemonProcess | undefined): Promise<Balancer> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const daemon = choose();
    if (daemon === undefined) return void outgoing.writeHead(503).end();
    const forwarded = request(new URL(incoming.url!, daemon.ingressUrl), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** A request of the owner with further headers. */
function call(daemon: DaemonProcess, path: string, init: { method: string; headers?: object; body?: object }) {
  const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
  return fetch(`${daemon.adminUrl}/api/v1${path}`, {
    method: init.method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
}

async function listDeliveries(daemon: DaemonProcess, webhook: string) {
  const { body } = await daemon.api(`/factories/payments/webhooks/${uids[webhook]}/deliveries`);
  return body.data as { id: string; label: string | null; runs: string[] }[];
}

/** By the text of the first column, what shows that the row is right. */
const WALKS: Record<string, () => Promise<void>> = {
  'compiled definitions (`ingress/registry/`)': async () => {
    await ci.repo.commit({ 'webhooks/more.yaml': 'secretName: CI_SECRET\n' });
    expect((await leader.cli('reconcile', '--factory', 'payments', '--wait')).code).toBe(0);
    const { body } = await leader.api('/factories/payments/webhooks');
    const { uid } = body.data.find(({ name }: { name: string }) => name === 'more');
    for (const daemon of [leader, follower]) expect((await sendToCi(daemon, uid, {})).status).toBe(202);
    expect(follower.output()).toContain('definition of another replica live');
  },

  'windows of limits (`ingress/limits.ts`)': async () => {
    for (let n = 0; n < DELIVERIES_PER_MINUTE; n += 1)
      expect((await sendToCi(leader, uids.limited!, { n })).status).toBe(202);
    let accepted = 0;
    await eventually(async () => {
      const { status } = await sendToCi(follower, uids.limited!, { other: accepted });
      if (status === 202) accepted += 1;
      return status === 429;
    });
    // Without news of the leader, the follower accepts as many itself.
    expect(accepted).toBeLessThan(DELIVERIES_PER_MINUTE);
  },

  'versions of secrets that were tried, backfill marks, sums of rejected requests': async () => {
    expect((await sendToCi(follower, uids.off!, {})).status).toBe(404);
    await eventually(async () => {
      const { body } = await leader.api(`/factories/payments/webhooks/${uids.off}`);
      return body.unlogged_requests.some(({ reason }: { reason: string }) => reason === 'disabled');
    }, 30_000);
    const wrong = await sendToCi(follower, uids.ci!, { wrong: true }, { authorization: 'Bearer wrong' });
    expect(wrong.status).toBe(401);
    await eventually(async () => (await listDeliveries(leader, 'ci')).some(({ label }) => label === 'Rejected (auth)'));
  },

  'probes of the public URL': async () => {
    const { body } = await leader.api('/doctor');
    expect(body.findings.filter(({ check }: { check: string }) => check === 'base-url')).toEqual([]);
  },

  'capture windows': async () => {
    expect((await follower.cli('webhook', 'capture', 'signed', '--factory', 'payments', '--for', '10m')).code).toBe(0);
    const show = async () => (await leader.api(`/factories/payments/webhooks/${uids.signed}`)).body;
    await eventually(async () => {
      // The token of another mode.
      expect((await sendToCi(follower, uids.signed!, { n: 1 })).status).toBe(401);
      return (await show()).capture.kept > 0;
    });
    await eventually(async () => {
      const [rejected] = await listDeliveries(leader, 'signed');
      const { body } = await leader.api(`/deliveries/${rejected!.id}/diagnosis`);
      return body.mistake === 'wrong_scheme';
    });
    expect((await leader.cli('webhook', 'capture', 'signed', '--factory', 'payments', '--off')).code).toBe(0);
    expect((await show()).capture).toBeNull();
  },

  'applied state and results of files (`reconcile/`, `definitions/`)': async () => {
    const revision = await ci.repo.commit(declareCiFactory('another prompt'));
    const reconciled = await follower.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    expect(reconciled.body).toMatchObject({ revision });
    const list = (daemon: DaemonProcess) => daemon.api('/factories/payments/reconciliations');
    const [listed] = await eventually(async () => {
      // A reconciliation may end between the two answers.
      const lists = await Promise.all([leader, follower].map(list));
      return isDeepStrictEqual(lists[0]!.body, lists[1]!.body) ? lists : null;
    });
    const isOf = (each: { revision: string; result: string }) =>
      each.revision === revision && each.result === 'applied';
    expect(listed!.body.data.filter(isOf)).toHaveLength(1);
    expect(leader.output()).toContain(revision);
    expect(follower.output()).not.toContain(revision);
  },

  'running commands, start failures, drain (`runs/`)': async () => {
    expect((await sendToCi(follower, uids.ci!, { start: true, of: 'the follower' })).status).toBe(202);
    const list = async (daemon: DaemonProcess) => (await daemon.api('/factories/payments/runs')).body.data;
    await eventually(async () => {
      const runs: { state: string }[] = await list(leader);
      return runs.length >= CI_AUTOMATIONS.length && runs.every(({ state }) => state === 'succeeded');
    });
    expect(await list(follower)).toEqual(await list(leader));
  },

  'leases of workers and receivers': async () => {
    const post = (daemon: DaemonProcess, path: string, body: object) => daemon.api(path, { method: 'POST', body });
    const { body: webhook } = await post(follower, '/factories/queued/webhooks', { name: 'ci' });
    const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } }];
    const automation = { name: 'work', prompt: 'Work.', triggers };
    expect((await post(follower, '/factories/queued/automations', automation)).status).toBe(201);
    // The follower may serve the webhook before the automation: then a delivery starts no run.
    await eventually(async () => {
      const { body } = await follower.api('/replicas');
      return body.data.every(({ behind }: { behind: string[] }) => !behind.includes('queued'));
    });
    await eventually(async () => {
      const headers = { authorization: `Bearer ${webhook.secret}` };
      return (await sendToCi(follower, webhook.uid, {}, headers)).status === 202;
    });
    const claim = () => post(follower, '/runs/claim', { factory: 'queued' });
    const claimed = await eventually(async () => (await claim()).body.data[0]);
    expect((await claim()).body.data).toEqual([]);
    const { id } = claimed.run;
    for (const daemon of [leader, follower])
      expect((await post(daemon, `/runs/${id}/heartbeat`, { fence: claimed.fence })).status).toBe(200);
  },

  'queues of notifications and alerts, counts for alerts': async () => {
    await ci.repo.commit({ 'README.md': 'a commit with a status\n' });
    const { body } = await follower.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    const count = () => receiver.bodies.filter((text) => text.includes(body.revision)).length;
    await eventually(() => count() > 0);
    const { body: live } = await follower.api('/replicas');
    expect(live.data).toHaveLength(2);
    expect(count()).toBe(1);
  },

  'open pull requests and what their last checks depended on (`reconcile/pull-requests/`)': async () => {
    const head = await commitOnto(ci.repo, await ci.repo.git(['rev-parse', 'HEAD']), {
      'webhooks/proposed.yaml': 'secretName: CI_SECRET\n',
    });
    await ci.repo.git(['update-ref', 'refs/pull/7/head', head]);
    host.open({ number: 7, commit: head });
    const body = { action: 'opened', number: 7 };
    const signature = createHmac('sha256', CI_TOKEN).update(JSON.stringify(body)).digest('hex');
    const headers = { 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${signature}` };
    expect((await sendToCi(follower, uids.signed!, body, headers)).status).toBe(202);
    await eventually(() => host.statuses.find(({ sha, state }) => sha === head && state === 'success'));
    // The result replaces a status that was not posted yet.
    expect([['pending', 'success'], ['success']]).toContainEqual(host.statuses.map(({ state }) => state));
    for (const daemon of [leader, follower]) {
      const { body: listed } = await daemon.api('/factories/payments/pull-requests');
      expect(listed.data).toMatchObject([{ number: 7, head, state: 'success' }]);
    }
  },

  'live events': async () => {
    const away = new AbortController();
    const token = readFileSync(join(follower.dataDir, 'admin-token'), 'utf8').trim();
    const stream = await fetch(`${follower.adminUrl}/api/v1/events`, {
      headers: { authorization: `Bearer ${token}` },
      signal: away.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream.body!) text += Buffer.from(chunk).toString('utf8');
    })().catch(() => {});
    await eventually(() => text.includes('event: ready'));
    for (const daemon of [leader, follower]) {
      const id = `event-of-${daemon.pid}`;
      expect((await sendToCi(daemon, uids.ci!, { id }, { 'x-service-delivery-id': id })).status).toBe(202);
      await eventually(() => text.includes(id));
    }
    away.abort();
    await reading;
  },

  'budgets of failed sign-ins, sign-ins in progress': async () => {
    const signIn = async (daemon: DaemonProcess) => {
      const body = { username: 'nobody', password: 'a-wrong-password' };
      return (await call(daemon, '/session', { method: 'POST', body, headers: { authorization: '' } })).status;
    };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      statuses.push(await signIn(attempt % 2 === 0 ? leader : follower));
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  },

  'sessions, tokens, kept answers of idempotency keys, secrets': async () => {
    const order = { method: 'POST', body: { name: 'shared', role: 'viewer' }, headers: { 'idempotency-key': 'once' } };
    const first = await call(leader, '/tokens', order);
    const again = await call(follower, '/tokens', order);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    const created = (await first.json()) as { token: string };
    expect(await again.json()).toEqual(created);
    for (const daemon of [leader, follower])
      expect((await daemon.api('/factories', { token: created.token })).status).toBe(200);
    const opened = await call(leader, '/session', { method: 'POST', body: { api_token: created.token } });
    const cookie = opened.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    const session = await fetch(`${follower.adminUrl}/api/v1/session`, { headers: { cookie } });
    expect(session.status).toBe(200);
    const put = await follower.api('/secrets/OF_BOTH', { method: 'PUT', body: { value: 'a-value-of-16-characters' } });
    expect(put.status).toBe(201);
    expect((await leader.cli('secret', 'list')).stdout).toContain('OF_BOTH');
  },

  'logs of runs (`runs/executors/log/shared/`)': async () => {
    expect((await sendToCi(leader, uids.ci!, { start: true, of: 'logs' })).status).toBe(202);
    const [id] = await eventually(
      async () => (await listDeliveries(leader, 'ci')).find(({ runs }) => runs.length > 0)?.runs,
    );
    for (const daemon of [leader, follower])
      await eventually(async () => (await daemon.api(`/runs/${id}/log`)).body === 'the output of a run\n');
  },

  'schedules, and when each is due (`ingress/schedules/`)': async () => {
    const schedule = '{ name: yearly, cron: "0 0 1 1 *" }';
    await ci.repo.commit({
      'automations/yearly/automation.md': `---\ntriggers:\n  - provider: schedule\n    event: cron_fired\n    schedule: ${schedule}\n---\nCount.\n`,
    });
    expect((await leader.cli('reconcile', '--factory', 'payments', '--wait')).code).toBe(0);
    for (const daemon of [leader, follower]) {
      const ticks = await eventually(async () => {
        const { body } = await daemon.api('/factories/payments/automations/yearly');
        return body.triggers?.[0]?.ticks?.id === undefined ? null : body.triggers[0].ticks;
      });
      expect(ticks.next_at[0]).toMatch(/^\d{4}-01-01T00:00:00\.000Z$/);
    }
    const { rows } = await withClient(url, (client) => client.query('SELECT count(*) FROM schedules'));
    expect(rows).toEqual([{ count: '1' }]);
  },

  'retention, scheduled work': async () => {
    const { rows } = await withClient(url, (client) =>
      client.query("SELECT count(*) FROM settings WHERE key = 'retention_mark'"),
    );
    expect(rows).toEqual([{ count: '1' }]);
    for (const daemon of [leader, follower]) expect(daemon.output()).not.toContain('housekeeping failed');
  },
};

/** The first columns of the table in the architecture. */
function listRows(): string[] {
  const page = readDocument('docs/architecture/several-daemons.md');
  const table = page.slice(page.indexOf('| state | owner | across replicas |')).split('\n\n', 1)[0]!.trimEnd();
  return table
    .split('\n')
    .slice(2)
    .map((line) => line.split('|')[1]!.trim());
}

describe('what daemons on one database keep in memory', () => {
  it('is the table of the architecture', { tags: 'full' }, () => {
    expect(Object.keys(WALKS)).toEqual(listRows());
  });

  it.each(Object.keys(WALKS))('belongs to the owner in the table: %s', { tags: 'full' }, (row) => WALKS[row]!());
});
