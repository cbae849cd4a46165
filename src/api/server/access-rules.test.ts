import { text } from 'node:stream/consumers';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  ALERT_ID,
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  RECONCILIATION_ID,
  REPLAY_JOB_ID,
  RUN_ID,
  type SeededServices,
  WEBHOOK_UID,
} from '../../../test/helpers/seeded-services.ts';
import { ROLES, type Role, TOKEN_ROLES, type TokenRole } from '../../domain/access/access.ts';
import type { Reach } from './access-rules.ts';
import { guardRegistration } from './access-rules.ts';

type Row = [method: string, url: string, role: TokenRole | 'public', reach?: Reach];

const F = '/api/v1/factories/:factory';

/** Written by hand: a new route fails here until somebody says who may use it. */
const TABLE: Row[] = [
  ['GET', '/healthz', 'public'],
  ['GET', '/readyz', 'public'],
  ['GET', '/metrics', 'viewer', 'team'],
  ['GET', '/assets/:asset', 'public'],
  ['GET', '/api/v1/replicas', 'viewer', 'team'],
  ['GET', '/api/v1/backup', 'viewer', 'team'],
  ['POST', '/api/v1/backup', 'owner', 'team'],
  ['GET', '/api/v1/doctor', 'owner', 'team'],
  ['GET', '/api/v1/openapi.json', 'public'],
  ['GET', '/api/v1/schemas', 'public'],
  ['GET', '/api/v1/signature-schemes', 'viewer', 'listed'],
  ['GET', '/api/v1/schemas/:file', 'public'],
  ['GET', '/api/v1/events', 'viewer', 'listed'],
  ['GET', '/api/v1/factories', 'viewer', 'listed'],
  ['GET', F, 'viewer', 'factory'],
  ['DELETE', F, 'owner', 'factory'],
  ['POST', `${F}/rename`, 'owner', 'factory'],
  ['GET', `${F}/reconciliations`, 'viewer', 'factory'],
  ['POST', `${F}/reconciliations`, 'operator', 'factory'],
  ['GET', `${F}/reconciliations/:id`, 'viewer', 'factory'],
  ['POST', `${F}/plan`, 'viewer', 'factory'],
  ['GET', `${F}/webhooks`, 'viewer', 'factory'],
  ['POST', `${F}/webhooks`, 'manager', 'factory'],
  ['GET', `${F}/webhooks/:uid`, 'viewer', 'factory'],
  ['PATCH', `${F}/webhooks/:uid`, 'manager', 'factory'],
  ['DELETE', `${F}/webhooks/:uid`, 'manager', 'factory'],
  ['POST', `${F}/webhooks/:uid/rotate`, 'manager', 'factory'],
  ['POST', `${F}/webhooks/:uid/secret`, 'manager', 'factory'],
  ['POST', `${F}/webhooks/:uid/test-deliveries`, 'operator', 'factory'],
  ['POST', `${F}/webhooks/:uid/backfills`, 'operator', 'factory'],
  ['POST', `${F}/webhooks/:uid/connection/plan`, 'manager', 'factory'],
  ['POST', `${F}/webhooks/:uid/connection`, 'manager', 'factory'],
  ['GET', `${F}/webhooks/:uid/payload-keys`, 'viewer', 'factory'],
  ['GET', `${F}/deliveries`, 'viewer', 'factory'],
  ['GET', `${F}/activity`, 'viewer', 'factory'],
  ['GET', `${F}/pull-requests`, 'viewer', 'factory'],
  ['POST', `${F}/backtests`, 'viewer', 'factory'],
  ['GET', `${F}/webhooks/:uid/deliveries`, 'viewer', 'factory'],
  ['GET', `${F}/webhooks/:uid/handshakes`, 'viewer', 'factory'],
  ['POST', `${F}/webhooks/:uid/capture`, 'owner', 'factory'],
  ['DELETE', `${F}/webhooks/:uid/capture`, 'owner', 'factory'],
  ['GET', '/api/v1/deliveries/:id', 'viewer', 'object'],
  ['GET', '/api/v1/deliveries/:id/payload', 'viewer', 'object'],
  ['GET', '/api/v1/deliveries/:id/explain', 'viewer', 'object'],
  ['GET', '/api/v1/deliveries/:id/diagnosis', 'operator', 'object'],
  ['POST', '/api/v1/deliveries/:id/replay', 'operator', 'object'],
  ['GET', `${F}/replays`, 'viewer', 'factory'],
  ['GET', `${F}/replays/preview`, 'operator', 'factory'],
  ['POST', `${F}/replays`, 'operator', 'factory'],
  ['GET', '/api/v1/replays/:id', 'viewer', 'object'],
  ['POST', '/api/v1/replays/:id/cancel', 'operator', 'object'],
  ['GET', `${F}/automations`, 'viewer', 'factory'],
  ['POST', `${F}/automations`, 'manager', 'factory'],
  ['GET', `${F}/automations/:name`, 'viewer', 'factory'],
  ['PUT', `${F}/automations/:name`, 'manager', 'factory'],
  ['DELETE', `${F}/automations/:name`, 'manager', 'factory'],
  ['GET', `${F}/ancestry/:revision`, 'viewer', 'factory'],
  ['GET', `${F}/history`, 'viewer', 'factory'],
  ['POST', `${F}/reverts`, 'manager', 'factory'],
  ['POST', `${F}/filters/test`, 'viewer', 'factory'],
  ['GET', `${F}/runs`, 'viewer', 'factory'],
  ['GET', '/api/v1/factories/:factory/runs/retryable', 'viewer', 'factory'],
  ['POST', '/api/v1/factories/:factory/runs/retry', 'operator', 'factory'],
  ['GET', '/api/v1/runs/:id', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/input', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/agent-files', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/attachments/event-payload.json', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/log', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/log/times', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/posts', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/artifacts', 'viewer', 'object'],
  ['GET', '/api/v1/runs/:id/artifacts/:number', 'viewer', 'object'],
  ['POST', '/api/v1/runs/:id/artifacts/:number', 'worker', 'object'],
  ['POST', '/api/v1/runs/:id/cancel', 'operator', 'object'],
  ['POST', '/api/v1/runs/:id/retry', 'operator', 'object'],
  ['POST', '/api/v1/runs/claim', 'worker', 'listed'],
  ['POST', '/api/v1/runs/:id/start', 'worker', 'object'],
  ['POST', '/api/v1/runs/:id/heartbeat', 'worker', 'object'],
  ['POST', '/api/v1/runs/:id/complete', 'worker', 'object'],
  ['POST', '/api/v1/runs/:id/hand-back', 'worker', 'object'],
  ['GET', '/api/v1/workers', 'viewer', 'listed'],
  ['GET', '/api/v1/secrets', 'owner', 'team'],
  ['PUT', '/api/v1/secrets/:name', 'owner', 'team'],
  ['DELETE', '/api/v1/secrets/:name', 'owner', 'team'],
  ['POST', '/api/v1/secrets/:name/diagnoses', 'owner', 'team'],
  ['POST', '/api/v1/master-key/rotations', 'owner', 'team'],
  ['GET', '/api/v1/alerts', 'viewer', 'listed'],
  ['GET', '/api/v1/alerts/:id', 'viewer', 'object'],
  ['POST', '/api/v1/alerts/:id/acknowledge', 'operator', 'object'],
  ['GET', '/api/v1/alert-targets', 'viewer', 'team'],
  ['POST', '/api/v1/alert-targets/:name/test', 'operator', 'team'],
  ['GET', '/api/v1/tokens', 'owner', 'team'],
  ['POST', '/api/v1/tokens', 'owner', 'team'],
  ['DELETE', '/api/v1/tokens/:id', 'owner', 'team'],
  ['POST', '/api/v1/session', 'public'],
  ['GET', '/api/v1/session', 'viewer', 'listed'],
  ['DELETE', '/api/v1/session', 'viewer', 'listed'],
  ['POST', '/api/v1/login-links', 'owner', 'team'],
  ['POST', '/api/v1/session/password', 'viewer', 'listed'],
  ['GET', '/api/v1/sessions', 'viewer', 'listed'],
  ['DELETE', '/api/v1/sessions', 'viewer', 'listed'],
  ['DELETE', '/api/v1/sessions/:id', 'viewer', 'listed'],
  ['GET', '/api/v1/users/:id/sessions', 'owner', 'team'],
  ['DELETE', '/api/v1/users/:id/sessions', 'owner', 'team'],
  ['GET', '/api/v1/ids', 'viewer', 'listed'],
  ['GET', '/api/v1/why/:ref', 'viewer', 'listed'],
  ['GET', '/api/v1/audit', 'owner', 'team'],
  ['POST', '/api/v1/reload', 'owner', 'team'],
  ['GET', '/api/v1/drain', 'viewer', 'team'],
  ['POST', '/api/v1/drain', 'operator', 'team'],
  ['DELETE', '/api/v1/drain', 'operator', 'team'],
  ['GET', '/api/v1/factories/:factory/pauses', 'viewer', 'factory'],
  ['POST', '/api/v1/factories/:factory/pause', 'operator', 'factory'],
  ['DELETE', '/api/v1/factories/:factory/pause', 'operator', 'factory'],
  ['POST', '/api/v1/factories/:factory/automations/:name/pause', 'operator', 'factory'],
  ['DELETE', '/api/v1/factories/:factory/automations/:name/pause', 'operator', 'factory'],
  ['GET', '/api/v1/sign-in', 'public'],
  ['GET', '/auth/oidc/login', 'public'],
  ['GET', '/auth/oidc/callback', 'public'],
  ['GET', '/api/v1/users', 'owner', 'team'],
  ['POST', '/api/v1/users', 'owner', 'team'],
  ['PATCH', '/api/v1/users/:id', 'owner', 'team'],
  ['DELETE', '/api/v1/users/:id', 'owner', 'team'],
];

/** Routes that a worker may use for the runs that it holds. */
const FOR_HOLDERS = [
  '/api/v1/runs/:id/input',
  '/api/v1/runs/:id/agent-files',
  '/api/v1/runs/:id/attachments/event-payload.json',
];

/** Written apart from `roleHolds`, which is tested with it. */
function allows([, url, role]: Row, held: TokenRole): boolean {
  if (role === 'public') return true;
  if (held === 'worker') return role === 'worker' || FOR_HOLDERS.includes(url);
  const needed: Role = role === 'worker' ? 'operator' : role;
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/** For routes that look at what they are about only when the body is good. */
const BODIES: { [url: string]: object } = {
  '/api/v1/runs/:id/start': { fence: 1 },
  '/api/v1/runs/:id/heartbeat': { fence: 1 },
  '/api/v1/runs/:id/artifacts/:number': { fence: 1, size: 0, offset: 0, content_base64: '' },
  '/api/v1/runs/:id/hand-back': { fence: 1, reason: 'the worker is stopping' },
  '/api/v1/runs/:id/complete': { fence: 1, state: 'succeeded' },
};

/** Routes that have no HEAD: a stream, and pages that a browser goes through. */
function isVisited(url: string): boolean {
  return url === '/api/v1/events' || url.startsWith('/auth/');
}

const IDS: { [kind: string]: string } = {
  deliveries: DELIVERY_ID,
  runs: RUN_ID,
  replays: REPLAY_JOB_ID,
  alerts: ALERT_ID,
};

function fillIn(url: string): string {
  const kind = url.split('/').at(3)!;
  return url
    .replace(':factory', 'payments')
    .replace(':uid', WEBHOOK_UID)
    .replace(':file', 'webhook.json')
    .replace(':asset', 'main-a1b2.js')
    .replace(':number', '1')
    .replace(':name', url.includes('/secrets/') ? 'A_SECRET' : 'fix-errors')
    .replace(':id', IDS[kind] ?? RECONCILIATION_ID);
}

function openServer(services: SeededServices) {
  const app = createSeededServer(services);
  const ask = async ([method, url]: Row, token: string | null) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const request = { method: method as 'GET', url: fillIn(url), headers, payloadAsStream: true } as const;
    const answer = await app.inject({ ...request, ...(BODIES[url] && { payload: BODIES[url] }) });
    return { status: answer.statusCode, code: parseCode(await readBody(answer)) };
  };
  return { app, ask };
}

/** `''` for a stream without end. */
async function readBody(answer: Awaited<ReturnType<ReturnType<typeof createSeededServer>['inject']>>): Promise<string> {
  if (answer.headers['content-type'] !== 'text/event-stream') return text(answer.stream());
  answer.stream().destroy();
  return '';
}

function parseCode(body: string): unknown {
  try {
    return JSON.parse(body).code ?? null;
  } catch {
    return null;
  }
}

/** The number of changes that the services were asked for so far. */
function countActions({ seen }: SeededServices): number {
  return [
    seen.reconciled,
    seen.cancelled,
    seen.retried,
    seen.replayed,
    seen.stored,
    seen.edited,
    seen.deletedSecrets,
    seen.sent,
    seen.captures,
    seen.diagnosed,
    seen.uploads,
  ].flat().length;
}

// One server for all rows: what differs between the questions is who asks.
const services = createSeededServices();
const { app, ask } = openServer(services);

describe('the table of routes', () => {
  it('has a row for every registered route, and no other row', async () => {
    await app.ready();
    const registered = app.accessTable
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url, access }) =>
        access.role === 'public' ? [method, url, 'public'] : [method, url, access.role, access.reach],
      );
    expect(registered.map(String).sort()).toEqual(TABLE.map(String).sort());
  });

  it('gives HEAD the rules of its GET', async () => {
    await app.ready();
    const heads = app.accessTable.filter(({ method }) => method === 'HEAD');
    // A stream without end has no HEAD.
    expect(heads.length).toBe(TABLE.filter(([method, url]) => method === 'GET' && !isVisited(url)).length);
    for (const { url, access } of heads) {
      expect(access).toEqual(app.accessTable.find((row) => row.method === 'GET' && row.url === url)?.access);
    }
  });

  it('rejects a route that does not declare who may use it', () => {
    const app = fastify();
    guardRegistration(app);
    expect(() => app.get('/open', async () => 'oops')).toThrow(/does not declare who may use it/);
    const config = { access: { role: 'everybody' } } as unknown as { access: { role: 'public' } };
    expect(() => app.get('/odd', { config }, async () => 'oops')).toThrow(/does not declare who may use it/);
  });
});

describe.each(TABLE)('%s %s', (...row) => {
  const [, , role, reach] = row;

  it('wants credentials, unless it is public', async () => {
    const revoked = services.grant('owner');
    services.revokeAll();
    const actions = countActions(services);
    for (const token of [null, revoked, 'dbk_short', `dbk_${'A'.repeat(43)}`]) {
      expect((await ask(row, token)).status === 401).toBe(role !== 'public');
    }
    expect(countActions(services)).toBe(actions);
  });

  it.each(TOKEN_ROLES)('allows the role %s exactly the routes of the table', async (held) => {
    const actions = countActions(services);
    const allowed = allows(row, held);
    const { status, code } = await ask(row, services.grant(held));
    if (allowed) expect([401, 403]).not.toContain(status);
    else expect([status, code]).toEqual([403, 'forbidden']);
    if (!allowed) expect(countActions(services)).toBe(actions);
  });

  it('hides other factories from a token that is limited to one', async () => {
    const outside = (await ask(row, services.grant('owner', ['other']))).status;
    const inside = (await ask(row, services.grant('owner', ['payments']))).status;
    // 400: some want a body.
    // 404: no OpenID provider is configured here, and a token has no session of the name.
    if (role === 'public') for (const status of [outside, inside]) expect([200, 400, 404]).toContain(status);
    else if (reach === 'listed') for (const status of [outside, inside]) expect([200, 204, 400, 404]).toContain(status);
    else if (reach === 'team') expect([outside, inside]).toEqual([403, 403]);
    else {
      expect(outside).toBe(404);
      // The run has no artifact.
      if (row[0] !== 'GET' || row[1] !== '/api/v1/runs/:id/artifacts/:number') {
        expect([401, 403, 404]).not.toContain(inside);
      }
    }
  });
});

describe('the reach of a token', () => {
  it('leaves other factories out of the list of factories', async () => {
    const headers = { authorization: `Bearer ${services.grant('viewer', ['other'])}` };
    const { data } = (await app.inject({ url: '/api/v1/factories', headers })).json();
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['other']);
  });

  it('gets the same answer for a factory out of its reach as for one that does not exist', async () => {
    const headers = { authorization: `Bearer ${services.grant('owner', ['other'])}` };
    for (const path of ['', '/webhooks', `/webhooks/${WEBHOOK_UID}`, '/runs', '/automations/fix-errors']) {
      const hidden = await app.inject({ url: `/api/v1/factories/payments${path}`, headers });
      const missing = await app.inject({ url: `/api/v1/factories/nowhere${path}`, headers });
      expect([hidden.statusCode, hidden.body]).toEqual([404, missing.body]);
    }
  });

  it.each([
    ['limited', ['other']],
    ['unlimited', null],
  ])('finds nothing of one factory in the path of another (%s)', async (_kind, factories) => {
    const headers = { authorization: `Bearer ${services.grant('owner', factories)}` };
    const get = async (path: string) =>
      (await app.inject({ url: `/api/v1/factories/other${path}`, headers })).statusCode;
    expect(await get(`/webhooks/${WEBHOOK_UID}`)).toBe(404);
    expect(await get(`/webhooks/${WEBHOOK_UID}/deliveries`)).toBe(404);
    expect(await get(`/reconciliations/${RECONCILIATION_ID}`)).toBe(404);
    const body = { filter: {}, delivery: DELIVERY_ID };
    const test = await app.inject({
      method: 'POST',
      url: '/api/v1/factories/other/filters/test',
      headers,
      payload: body,
    });
    expect(test.statusCode).toBe(404);
  });
});

describe('a worker', () => {
  it('reads and ends only the runs that a token of its name claimed, while it holds them', async () => {
    const services = createSeededServices();
    const app = createSeededServer(services);
    const call = async (method: 'GET' | 'POST', url: string, token: string, payload?: object) => {
      const headers = { authorization: `Bearer ${token}` };
      return app.inject({ method, url: `/api/v1/runs/${url}`, headers, ...(payload && { payload }) });
    };
    const [worker, operator] = [services.grant('worker'), services.grant('operator')];
    const reads = async (id: string, token: string) => {
      const answers = [await call('GET', `${id}/input`, token)];
      answers.push(await call('GET', `${id}/attachments/event-payload.json`, token));
      return answers.map(({ statusCode }) => statusCode);
    };
    const end = (id: string, token: string) =>
      call('POST', `${id}/complete`, token, { fence: 1, state: 'succeeded' }).then(({ statusCode }) => statusCode);

    await services.queueRun();
    await services.queueRun();
    const claim = async (token: string) => (await call('POST', 'claim', token, {})).json().data[0].run.id as string;
    const [own, others] = [await claim(worker), await claim(operator)];
    expect([await reads(own, worker), await reads(others, worker)]).toEqual([
      [200, 200],
      [404, 404],
    ]);
    expect((await call('GET', own, worker)).statusCode).toBe(403);
    expect((await call('POST', `${others}/heartbeat`, worker, { fence: 1 })).statusCode).toBe(404);
    expect([await end(others, worker), await end(own, worker)]).toEqual([404, 200]);
    expect([await end(own, worker), await reads(own, worker)]).toEqual([200, [404, 404]]);
  });

  it('cannot sign in', async () => {
    const payload = { api_token: services.grant('worker') };
    const answer = await app.inject({ method: 'POST', url: '/api/v1/session', payload });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden']);
  });
});

describe('metrics', () => {
  it('are public if the configuration sets it', async () => {
    const app = createSeededServer(createSeededServices({ openMetrics: true }));
    const answer = await app.inject({ url: '/metrics' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('dockbell_runs{state="running"} 1\n');
  });
});
