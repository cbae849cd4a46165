import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  HOSTILE_TEXT,
  makeAutomation,
  NOW_MS,
  PAYLOAD,
  RUN_ID,
  type SeededServices,
} from '../../../test/helpers/seeded-services.ts';
import { AppError } from '../../domain/errors.ts';
import { NO_RESULTS } from '../../domain/runs/run-results.ts';
import { omitRepresentations } from './answer-conditionally.ts';
import { MAX_BODY_BYTES } from './parse-json-body.ts';

function open(more: Parameters<typeof createSeededServices>[0] = {}) {
  const services = createSeededServices(more);
  return { services, app: createSeededServer(services), owner: asOwner(services) };
}

/** For tests that change nothing. */
const idle = open();

function asOwner(services: SeededServices) {
  return { authorization: `Bearer ${services.grant('owner')}` };
}

describe('an unknown route', () => {
  it('asks for credentials first under /api/v1, in the same words as a known one', async () => {
    const { app } = open();
    const known = await app.inject({ url: '/api/v1/secrets' });
    for (const url of ['/api/v1', '/api/v1/', '/api/v1?x', '/api/v1/nope', '/api/v1/factories/payments/nope']) {
      for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
        const answer = await app.inject({ method, url });
        expect([answer.statusCode, answer.body]).toEqual([401, known.body]);
      }
    }
  });

  it('is a problem document with 404, once the credentials are good, and outside of /api/v1', async () => {
    const { app, owner } = open();
    for (const url of ['/api/v1/nope', `/api/v1/runs/${RUN_ID}/again`, '/nope', '/']) {
      const answer = await app.inject({ method: 'POST', url, headers: owner });
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/problem+json']);
      expect(answer.json()).toMatchObject({ type: 'urn:dockbell:problem:not-found', status: 404, code: 'not_found' });
    }
  });
});

describe('a wrong method on a known path', () => {
  it('is 405 with the methods that are allowed, once the credentials are good', async () => {
    const { app, owner } = open();
    const cases = [
      ['PUT', '/api/v1/factories/payments/webhooks', 'GET, HEAD, POST'],
      ['POST', '/api/v1/factories/payments/webhooks/wh_x?y=/z', 'DELETE, GET, HEAD, PATCH'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['OPTIONS', '/api/v1/runs/claim', 'GET, HEAD, POST'],
      ['HEAD', '/api/v1/events', 'GET'],
    ] as const;
    for (const [method, url, allow] of cases) {
      const answer = await app.inject({ method, url, headers: owner });
      expect([method, url, answer.statusCode, answer.headers.allow]).toEqual([method, url, 405, allow]);
      if (method !== 'HEAD') expect(answer.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
    }
    expect((await app.inject({ method: 'PUT', url: '/api/v1/factories' })).statusCode).toBe(401);
  });
});

describe('a token that expires', () => {
  const HEADER = 'dockbell-authentication-token-expiration';

  it('is rejected from then on, with a sentence, and announced in every answer before', async () => {
    const { app, services } = open();
    const ask = (token: string) =>
      app.inject({ url: '/api/v1/factories', headers: { authorization: `Bearer ${token}` } });
    const expired = await ask(services.grant('owner', null, NOW_MS));
    expect([expired.statusCode, expired.json()]).toMatchObject([401, { code: 'unauthorized' }]);
    expect(expired.json().detail).toMatch(/^The API token owner expired at 20.*Z\. Create a new one/);
    const working = await ask(services.grant('viewer', null, NOW_MS + 3_600_000));
    expect([working.statusCode, working.headers[HEADER]]).toEqual([200, new Date(NOW_MS + 3_600_000).toISOString()]);
    expect((await ask(services.grant('viewer'))).headers[HEADER]).toBeUndefined();
    const signIn = (token: string) =>
      app.inject({ method: 'POST', url: '/api/v1/session', payload: { api_token: token } });
    const rejected = await signIn(services.grant('owner', null, NOW_MS - 1));
    expect([rejected.statusCode, rejected.json().detail]).toEqual([401, expect.stringContaining('expired')]);
  });

  it('is created with 90 days, or what was asked for, or no end', async () => {
    const { app, owner } = open();
    const create = async (more: object) => {
      const payload = { name: 'ci', role: 'viewer', ...more };
      const answer = await app.inject({ method: 'POST', url: '/api/v1/tokens', headers: owner, payload });
      return answer.statusCode === 201 ? answer.json().expires_at : answer.statusCode;
    };
    const inDays = (days: number) => new Date(NOW_MS + days * 86_400_000).toISOString();
    expect(await create({})).toBe(inDays(90));
    expect(await create({ expires_in: '12h' })).toBe(inDays(0.5));
    expect(await create({ expires_in: null })).toBeNull();
    expect(await create({ expires_at: inDays(7) })).toBe(inDays(7));
    for (const wrong of [
      { expires_in: '0s' },
      { expires_in: 'soon' },
      { expires_in: '3651d' },
      { expires_at: inDays(-1) },
      { expires_in: '1d', expires_at: inDays(1) },
    ]) {
      expect(await create(wrong)).toBe(400);
    }
  });
});

describe('an answer that creates', () => {
  it('has the path of the new object as Location, also when it is replayed', async () => {
    const { app, owner } = open();
    const post = async (url: string, payload: object) =>
      app.inject({ method: 'POST', url, headers: { ...owner, 'idempotency-key': url }, payload });
    const token = await post('/api/v1/tokens', { name: 'ci', role: 'viewer' });
    expect(token.headers.location).toBe(`/api/v1/tokens/${token.json().id}`);
    expect((await post('/api/v1/tokens', { name: 'ci', role: 'viewer' })).headers).toMatchObject({
      location: token.headers.location,
      'idempotent-replayed': 'true',
    });
    const user = await post('/api/v1/users', { name: 'alice', role: 'viewer', password: 'correct horse battery' });
    expect(user.headers.location).toBe(`/api/v1/users/${user.json().id}`);
    const replay = await post(`/api/v1/deliveries/${DELIVERY_ID}/replay`, {});
    expect(replay.headers.location).toBe(`/api/v1/deliveries/${replay.json().id}`);
    const secret = await app.inject({
      method: 'PUT',
      url: '/api/v1/secrets/A',
      headers: owner,
      payload: { value: 'x' },
    });
    expect([secret.statusCode, secret.headers.location]).toEqual([201, '/api/v1/secrets/A']);
  });
});

describe('a conditional read', () => {
  it('is 304 without a body while the representation is the same, and the tag still serves an edit', async () => {
    const { app, owner } = open({
      findSource: () => ({ type: 'live', url: null, branch: null, path: null, pullRequests: false }),
    });
    for (const path of ['', '/automations/fix-errors']) {
      const url = `/api/v1/factories/payments${path}`;
      const first = await app.inject({ url, headers: owner });
      const tag = String(first.headers.etag);
      const again = await app.inject({ url, headers: { ...owner, 'if-none-match': `"other", W/${tag}` } });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', tag]);
      expect(again.headers['content-type']).toBeUndefined();
      const changed = await app.inject({ url, headers: { ...owner, 'if-none-match': tag.replace('.', '.x') } });
      expect([changed.statusCode, changed.body]).toEqual([200, first.body]);
    }
  });
});

describe('compression', () => {
  const read = async (url: string, encoding: string) => {
    const { app, owner } = idle;
    return app.inject({ url, headers: { ...owner, 'accept-encoding': encoding } });
  };

  it.each(['gzip', 'br, GZIP;q=0.5', '*'])(
    'is used for a long list where the client accepts it by %j',
    async (encoding) => {
      const answer = await read('/api/v1/openapi.json', encoding);
      expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
      expect(JSON.parse(gunzipSync(answer.rawPayload).toString('utf8')).openapi).toBe('3.1.0');
    },
  );

  it.each(['', 'br', 'gzip;q=0', 'gzip; q=0.0'])('is not used for %j', async (encoding) => {
    const answer = await read('/api/v1/openapi.json', encoding);
    expect([answer.headers['content-encoding'], answer.json().openapi]).toEqual([undefined, '3.1.0']);
  });

  it('gives an answer with an ETag another one, which a read and a change can name', async () => {
    const { app, owner, services } = open();
    Object.assign(services.inventory, {
      automation: async () => ({
        ...makeAutomation({ prompt: 'Fix it. '.repeat(300) }),
        commit: null,
        results: NO_RESULTS,
      }),
    });
    const url = '/api/v1/factories/payments/automations/fix-errors';
    const plain = await app.inject({ url, headers: owner });
    const headers = { ...owner, 'accept-encoding': 'gzip' };
    const packed = await app.inject({ url, headers });
    const [tag, packedTag] = [String(plain.headers.etag), String(packed.headers.etag)];
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(packed.rawPayload).toString('utf8')).toBe(plain.body);
    expect(packedTag).toBe(`${tag.slice(0, -1)}-gzip"`);
    for (const named of [tag, packedTag]) {
      const again = await app.inject({ url, headers: { ...headers, 'if-none-match': named } });
      expect([again.statusCode, again.body, again.headers.etag, again.headers['content-encoding']]).toEqual([
        304,
        '',
        named,
        undefined,
      ]);
    }
    expect(omitRepresentations(packedTag)).toBe(omitRepresentations(tag));
  });

  it('is never used if the response may contain a secret and values that the caller chose', async () => {
    const { app, owner } = open();
    const headers = { ...owner, 'accept-encoding': 'gzip' };
    const name = 'n'.repeat(100);
    const token = await app.inject({
      method: 'POST',
      url: '/api/v1/tokens',
      headers,
      payload: { name, role: 'viewer' },
    });
    expect([token.statusCode, token.headers['content-encoding']]).toEqual([201, undefined]);
    for (const url of ['/api/v1/session', `/api/v1/runs/${RUN_ID}/log`, `/api/v1/deliveries/${DELIVERY_ID}/payload`]) {
      const answer = await app.inject({ url, headers });
      expect([url, answer.statusCode, answer.headers['content-encoding']]).toEqual([url, 200, undefined]);
    }
  });
});

describe('a sign-in without credentials of one kind', () => {
  const signIn = async (payload: object) => {
    const answer = await open().app.inject({ method: 'POST', url: '/api/v1/session', payload });
    expect(answer.statusCode).toBe(400);
    return answer.json().detail;
  };

  it('is answered with one readable sentence', async () => {
    const forms = 'must have username and password, or login_token, or api_token';
    expect(await signIn({})).toBe(`The body is not valid: # ${forms}.`);
    expect(await signIn({ apiToken: 'x' })).toBe(`The body is not valid: #/apiToken is not known; # ${forms}.`);
    expect(await signIn({ username: 'alice' })).toBe(`The body is not valid: # ${forms}.`);
    expect(await signIn({ api_token: '' })).toBe('The body is not valid: #/api_token must not be empty.');
    expect(await signIn({ api_token: 'x', more: 1 })).toBe('The body is not valid: #/more is not known.');
  });
});

describe('a rejection', () => {
  it('says how to authenticate', async () => {
    const { app } = open();
    const answer = await app.inject({ url: '/api/v1/factories', headers: { authorization: 'Basic YTpi' } });
    expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer', 'content-type': 'application/problem+json' });
    expect(answer.json()).toMatchObject({ status: 401, code: 'unauthorized', title: 'Credentials missing or wrong' });
  });

  it('is a problem document also for a path that cannot be decoded or is too long', async () => {
    const { app, owner } = open();
    const broken = await app.inject({ url: '/api/v1/%zz', headers: owner });
    expect([broken.statusCode, broken.headers['content-type']]).toEqual([400, 'application/problem+json']);
    const long = await app.inject({ url: `/api/v1/runs/${'x'.repeat(600)}`, headers: owner });
    expect([long.statusCode, long.headers['content-type']]).toEqual([414, 'application/problem+json']);
    expect(long.headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    ['what is not HTTP', 'bad header'],
    ['two Host fields', 'Host: localhost\r\nhost: localhost\r\nConnection: close'],
  ])('is a problem document also for %s', async (_what, lines) => {
    const { app } = open();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET /healthz HTTP/1.1\r\n${lines}\r\n\r\n`));
      let text = '';
      socket.on('data', (piece) => {
        text += piece;
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    await app.close();
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*"code":"bad_request"/s);
  });
});

describe('an unexpected error', () => {
  it('is logged in full and shown by its id only', async () => {
    const cause = new Error('SQLITE_ODD at /secret/path');
    const { app, owner, services } = open({
      runs: {
        list: async () => Promise.reject(cause),
        get: async () => Promise.reject(cause),
        count: async () => Promise.reject(cause),
        input: async () => null,
        agentFiles: async () => [],
        attempts: async () => new Map(),
        queuePositions: async () => new Map(),
        automationBudgets: async () => [],
        factoryStarts: async () => 0,
        oldestQueued: async () => [],
      },
    });
    const answer = await app.inject({ url: `/api/v1/runs/${RUN_ID}`, headers: owner });
    const { id, ...problem } = answer.json();
    expect(answer.statusCode).toBe(500);
    expect(problem).toMatchObject({ code: 'internal', title: 'Internal error' });
    expect(answer.body).not.toContain('SQLITE_ODD');
    const line = services.seen.logLines.find((it) => it.includes('SQLITE_ODD'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ id, level: 50 });
  });

  it('has the status of its code: a storage that is down is 503 with Retry-After', async () => {
    const down = async () => Promise.reject(new AppError('storage_unavailable', 'The disk is full.'));
    const runs = {
      list: down,
      count: down,
      get: down,
      input: down,
      agentFiles: down,
      attempts: down,
      queuePositions: down,
      automationBudgets: down,
      factoryStarts: down,
      oldestQueued: down,
    };
    const { app, owner } = open({ runs });
    const answer = await app.inject({ url: `/api/v1/runs/${RUN_ID}`, headers: owner });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.json()).toMatchObject({ code: 'storage_unavailable', detail: 'The disk is full.' });
  });
});

describe('the Host header', () => {
  const good = [
    'localhost',
    'localhost:8788',
    'LOCALHOST.',
    '127.0.0.1:1',
    '127.9.9.9',
    '[::1]:8788',
    'a.localhost',
    'dockbell.example.com:443',
  ];
  const bad = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'dockbell.example.com.evil',
    '127.0.0.1@evil.example',
    'localhost:99999999',
  ];

  it.each(good)('may be %s', async (host) => {
    const { app, owner } = idle;
    expect((await app.inject({ url: '/api/v1/factories', headers: { ...owner, host } })).statusCode).toBe(200);
  });

  it.each(bad)('may not be "%s", with any credentials (DNS rebinding)', async (host) => {
    const { app, owner } = idle;
    for (const url of ['/api/v1/factories', '/healthz', '/metrics', '/nope']) {
      const answer = await app.inject({ url, headers: { ...owner, host } });
      expect([answer.statusCode, answer.json().code]).toEqual([421, 'host_not_allowed']);
    }
  });
});

describe('every answer', () => {
  it('forbids sniffing, storing, framing and referring, and never allows another origin', async () => {
    const { app, owner } = open();
    const origin = 'https://evil.example';
    for (const url of [
      '/healthz',
      '/nope',
      '/api/v1/factories',
      '/api/v1/nope',
      `/api/v1/deliveries/${DELIVERY_ID}/payload`,
      '/api/v1/%zz',
    ]) {
      const { headers } = await app.inject({ url, headers: { ...owner, origin } });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
    const preflight = { ...owner, origin, 'access-control-request-method': 'POST' };
    const answer = await app.inject({ method: 'OPTIONS', url: '/api/v1/tokens', headers: preflight });
    expect(answer.statusCode).toBe(405);
  });

  it('carries hostile names as JSON data, never as markup', async () => {
    const { app, owner } = open();
    const answer = await app.inject({ url: `/api/v1/deliveries/${DELIVERY_ID}`, headers: owner });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json().delivery_id).toBe(HOSTILE_TEXT);
    expect(answer.body).not.toContain('\u001b');
  });
});

describe('a payload download', () => {
  it.each([
    [`/api/v1/deliveries/${DELIVERY_ID}/payload`, `${DELIVERY_ID}.json`],
    [`/api/v1/runs/${RUN_ID}/attachments/event-payload.json`, 'event-payload.json'],
  ])('%s is an attachment with the exact bytes', async (url, name) => {
    const { app, owner } = open();
    const answer = await app.inject({ url, headers: owner });
    expect(answer.rawPayload.toString('utf8')).toBe(PAYLOAD);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('a body', () => {
  const post = async (contentType: string | null, payload: string | Buffer, server = idle) => {
    const { app, owner, services } = server;
    const headers = { ...owner, ...(contentType === null ? {} : { 'content-type': contentType }) };
    const answer = await app.inject({ method: 'POST', url: '/api/v1/tokens', headers, payload });
    return { status: answer.statusCode, problem: answer.json(), tokens: await services.tokens.list() };
  };
  const BAD_ROLE = '{"name": "x", "role": "god"}';

  it.each([
    'application/json',
    'application/json ',
    'application/json\t',
    '\tapplication/json',
    ' application/json;charset=utf-8',
    'APPLICATION/JSON',
    'application/json\t; charset="utf-8"',
    'application/json; charset=latin1',
    'application/json;',
    'application/json;;',
    'application/json; a=b; a=c',
    'application/json;\tboundary=x',
    'application/json ; x="a;b"',
    'application/json, text/plain',
    'application/json,application/json',
    'application/jsonx',
    'application/vnd.x+json',
    'application/problem+json',
    'application/json/x',
    'application',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '*/*',
    '',
    '__proto__',
    'constructor/prototype',
  ])('of Content-Type %j never gets past its schema', async (contentType) => {
    const { status, tokens } = await post(contentType, BAD_ROLE);
    expect([400, 415]).toContain(status);
    expect(tokens).toHaveLength(1);
  });

  it.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json\t'])(
    'of Content-Type %j is read as JSON',
    async (contentType) => {
      expect((await post(contentType, '{"name": "x", "role": "viewer"}', open())).status).toBe(201);
    },
  );

  it('without a Content-Type, or of a type that forms can send, is rejected: another web page could have sent it', async () => {
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expect((await post(contentType, '{"name": "x", "role": "viewer"}')).status).toBe(415);
    }
    const { status, problem } = await post(null, Buffer.from('{"name": "x", "role": "viewer"}'));
    expect([status, problem.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    ['cut short', '{"name": "x"'],
    ['with something behind it', '{"name": "x", "role": "viewer"} x'],
    ['with a byte order mark', '\ufeff{"name": "x", "role": "viewer"}'],
    ['not UTF-8', Buffer.from('7b226e616d65223a22ff222c22726f6c65223a22766965776572227d', 'hex')],
  ])('%s is not JSON', async (_what, payload) => {
    const { status, problem } = await post('application/json', payload);
    expect([status, problem.detail]).toEqual([400, 'The body is not valid JSON in UTF-8.']);
  });

  it.each([
    ['an unknown key', '{"name": "x", "role": "viewer", "admin": true}', '#/admin'],
    ['__proto__', '{"name": "x", "role": "viewer", "__proto__": {"role": "owner"}}', '#/__proto__'],
    [
      'constructor',
      '{"name": "x", "role": "viewer", "constructor": {"prototype": {"role": "owner"}}}',
      '#/constructor',
    ],
    ['a missing key', '{"name": "x"}', '#/role'],
    ['a number as a name', '{"name": 5, "role": "viewer"}', '#/name'],
    ['an array', '[]', '#'],
    ['null', 'null', '#'],
  ])('with %s is rejected, with a pointer to it', async (_what, payload, pointer) => {
    const { status, problem, tokens } = await post('application/json', payload);
    expect([status, problem.code]).toEqual([400, 'bad_request']);
    expect(problem.errors).toContainEqual(expect.objectContaining({ in: 'body', pointer }));
    expect(tokens).toHaveLength(1);
    expect(Object.prototype).not.toHaveProperty('role');
  });

  it('is required where a schema asks for one', async () => {
    const { app, owner } = open();
    for (const headers of [owner, { ...owner, 'content-type': 'application/json' }]) {
      expect((await app.inject({ method: 'POST', url: '/api/v1/tokens', headers })).statusCode).toBe(400);
    }
  });

  it('over the limit is 413, announced or not', async () => {
    const { status, problem } = await post('application/json', `"${'x'.repeat(MAX_BODY_BYTES)}"`);
    expect([status, problem.code, problem.detail]).toEqual([
      413,
      'body_too_large',
      `A body may have ${MAX_BODY_BYTES} bytes at most.`,
    ]);
  });

  it('is not accepted if the route takes none', async () => {
    const { app, owner, services } = open();
    const cancel = (run: string, payload?: object) =>
      app.inject({ method: 'POST', url: `/api/v1/runs/${run}/cancel`, headers: owner, ...(payload && { payload }) });
    expect((await cancel(RUN_ID, { force: true })).statusCode).toBe(400);
    expect(services.seen.cancelled).toEqual([]);
    expect((await cancel(RUN_ID, {})).statusCode).toBe(200);
    expect((await cancel(await services.queueRun())).statusCode).toBe(200);
  });

  it('is never in the log, or in the error that rejects it', async () => {
    const { app, owner, services } = open();
    for (const payload of [{ value: ['canary-7f3a'] }, { value: 'canary-7f3a', extra: 1 }, { value: 'canary-7f3a' }]) {
      const answer = await app.inject({ method: 'PUT', url: '/api/v1/secrets/A_SECRET', headers: owner, payload });
      expect(answer.body).not.toContain('canary');
    }
    expect(services.seen.logLines.join()).not.toContain('canary');
  });
});

describe('a slow client', () => {
  it('is cut off by the time limits of the listener', async () => {
    const { app } = open();
    await app.ready();
    const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server;
    expect([headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([10_000, 30_000, 5_000]);
  });
});

describe('the log', () => {
  it('names who changed what, one JSON line for a change and none for a read', async () => {
    const { app, owner, services } = open();
    await app.inject({ url: '/api/v1/factories', headers: owner });
    await app.inject({ method: 'POST', url: `/api/v1/runs/${encodeURIComponent('a\nb')}/cancel`, headers: owner });
    const [line, ...others] = services.seen.logLines;
    expect(others).toEqual([]);
    expect(JSON.parse(line!)).toMatchObject({
      role: 'owner',
      address: '127.0.0.1',
      durationMs: expect.any(Number),
      method: 'POST',
      route: '/api/v1/runs/:id/cancel',
      params: { id: 'a\nb' },
      status: 404,
    });
    expect(line!.trimEnd()).not.toContain('\n');
  });

  it('contains no query and no unknown path: they may contain a secret by mistake', async () => {
    const { app, owner, services } = open();
    await app.inject({ method: 'POST', url: `/api/v1/runs/${RUN_ID}/cancel?value=canary`, headers: owner });
    await app.inject({ method: 'PUT', url: '/api/v1/secrets/A_SECRET/canary', headers: owner });
    expect(services.seen.logLines).toHaveLength(1);
    expect(services.seen.logLines.join()).not.toContain('canary');
  });
});
