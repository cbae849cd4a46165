import type { InjectOptions } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/helpers/eventually.ts';
import { ScriptedExecutor } from '../../test/helpers/scripted-executor.ts';
import type { SeededFactory } from '../../test/helpers/seeded-engine.ts';
import {
  createSeededServer,
  createSeededServices,
  DELETED_UID,
  DELIVERY_ID,
  HOSTILE_TEXT,
  makeAttempt,
  makeAutomation,
  makePlanPreview,
  makeRun,
  makeWebhook,
  NOW_MS,
  REJECTED_ID,
  RUN_ID,
  type SeededServices,
  URL_TOKEN_UID,
  WEBHOOK_UID,
} from '../../test/helpers/seeded-services.ts';
import { readSchema, SCHEMA_NAMES } from '../definitions/yaml/schemas.ts';
import type { Role } from '../domain/access/access.ts';
import { AppError } from '../domain/errors.ts';
import type { RunId, WebhookUid } from '../domain/ids.ts';
import type { RunControl } from '../domain/ports/run-control.ts';
import { NO_RESULTS } from '../domain/runs/run-results.ts';
import { SecretValue } from '../domain/secrets/secret-value.ts';

const F = '/api/v1/factories/payments';

function open(more: Partial<SeededServices> = {}, role: Role = 'owner', factory: SeededFactory = {}) {
  const services = createSeededServices(more, factory);
  const app = createSeededServer(services);
  const headers = { authorization: `Bearer ${services.grant(role)}` };
  const call = async (method: InjectOptions['method'], url: string, payload?: unknown) => {
    const body = payload === undefined ? {} : { payload: payload as object };
    const answer = await app.inject({ method: method!, url, headers, ...body });
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, body: isJson ? answer.json() : answer.body, headers: answer.headers };
  };
  return { services, call, get: (url: string) => call('GET', url) };
}

const shared = new Map<Role, ReturnType<typeof open>>();

/** One server for the tests that change nothing: most of the time of a test is the start of its server. */
function idle(role: Role = 'owner') {
  const server = shared.get(role) ?? open({}, role);
  shared.set(role, server);
  return server;
}

describe('factories', () => {
  it.each([
    ['Ready', 'True', 'ok'],
    ['Ready', 'Unknown', 'warning'],
    ['Reconciled', 'False', 'error'],
    ['NoExecutor', 'True', 'warning'],
    ['RunsNotStarting', 'True', 'error'],
    ['NotifyFailing', 'False', 'ok'],
  ] as const)('rate the condition %s=%s as %s', async (type, status, severity) => {
    const usual = createSeededServices().inventory;
    const factory = (await usual.factories()).find(({ name }) => name === 'payments');
    const condition = { type, status, reason: 'NoExecutorConfigured', message: 'It is so.', since: 0 };
    const factories = async () => [{ ...factory!, conditions: [condition] }];
    const { body } = await open({ inventory: { ...usual, factories } }).get(F);
    const reason_text = 'The factory has no executor, so runs stay queued.';
    expect(body.conditions).toEqual([{ ...condition, reason_text, severity, since: '1970-01-01T00:00:00.000Z' }]);
  });

  it('show what happened to the requests of each webhook, and to the runs of automations', async () => {
    const { services, get } = open();
    expect((await get(F)).body.health).toEqual({
      webhooks: [
        {
          uid: URL_TOKEN_UID,
          name: 'by-url',
          enabled: true,
          traffic: expect.objectContaining({ acceptance_rate: null }),
        },
        {
          uid: WEBHOOK_UID,
          name: 'internal-ci',
          enabled: true,
          traffic: expect.objectContaining({ acceptance_rate: 0.5 }),
        },
      ],
      failed_automations: [],
      queue: [],
      replicas_behind: 0,
    });
    const result = { state: 'failed', error: 'exit code 1', exitCode: 1 } as const;
    await services.storage.runQueue.finish({ id: RUN_ID, attempt: 1, result, at: NOW_MS });
    const at = new Date(NOW_MS).toISOString();
    const results = {
      last_run: { id: RUN_ID, state: 'failed', finished_at: at },
      recent_runs: 1,
      recent_failed: 1,
      failed_in_a_row: 1,
      failing_since: at,
    };
    const { body } = await get(F);
    expect(body.health.failed_automations).toEqual([{ name: 'fix-errors', results }]);
    expect((await get(`${F}/automations/fix-errors`)).body).toMatchObject({ results, oldest_queued_at: null });
    await services.storage.runQueue.retry({
      id: RUN_ID,
      requestedBy: { kind: 'local', id: 'usr_a', name: 'alice' },
      at: NOW_MS,
    });
    expect((await get(F)).body.health.queue).toEqual([{ automation: 'fix-errors', oldest_queued_at: at }]);
    expect((await get(`${F}/automations`)).body.data).toMatchObject([{ results, oldest_queued_at: at }]);
  });

  it('show their source without the credentials of its URL', async () => {
    const { body } = await idle().get(F);
    expect(body.source).toEqual({
      type: 'repository',
      url: 'https://git.example/p.git',
      branch: 'main',
      path: '.',
      pull_requests: true,
    });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(body).toMatchObject({
      name: 'payments',
      applied_revision: 'c0ffee',
      applied_at: '2026-01-02T03:04:05.678Z',
      counts: { webhooks: 2, automations: 1, queued_runs: 0, running_runs: 1 },
    });
  });

  it('that are no longer in the configuration have no source', async () => {
    expect((await open({ findSource: () => null }).get(F)).body.source).toBeNull();
  });
});

describe('schemas', () => {
  it('are listed and served to editors, which have no token', async () => {
    const app = createSeededServer(createSeededServices());
    const list = await app.inject('/api/v1/schemas');
    expect(list.json().data).toEqual(
      SCHEMA_NAMES.map((name) => ({ name, title: readSchema(name).title, path: `/api/v1/schemas/${name}.json` })),
    );
    const answer = await app.inject(list.json().data[0].path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/schema\+json\b/);
    expect(answer.json()).toEqual(readSchema('webhook'));
  });

  it.each(['payload.json', 'webhook', '..%2Fwebhook.json', '__proto__.json'])('do not include %s', async (file) => {
    const { status, body } = await idle().get(`/api/v1/schemas/${file}`);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});

describe('capture windows', () => {
  const path = `${F}/webhooks/${WEBHOOK_UID}`;

  it('open for the time asked for, show in the webhook, and close', async () => {
    const { call, get } = open();
    const opened = await call('POST', `${path}/capture`, { for_seconds: 600 });
    expect([opened.status, opened.body]).toEqual([200, { until: '2026-01-02T03:14:05.678Z', kept: 0 }]);
    expect((await get(path)).body.capture).toEqual(opened.body);
    expect((await call('DELETE', `${path}/capture`)).status).toBe(204);
    expect((await get(path)).body.capture).toBeNull();
  });

  it.each([{}, { for_seconds: 0 }, { for_seconds: 3601 }, { for_seconds: 1.5 }, { for_seconds: 60, more: 1 }])(
    'do not open for %j',
    async (body) => {
      const { call, services } = idle();
      expect((await call('POST', `${path}/capture`, body)).status).toBe(400);
      expect(services.seen.captures).toEqual([]);
    },
  );

  it('do not open for a webhook with its token in the URL, nor for a deleted one', async () => {
    const { call, services } = open();
    for (const [uid, status] of [
      [URL_TOKEN_UID, 409],
      [DELETED_UID, 404],
    ] as const) {
      expect((await call('POST', `${F}/webhooks/${uid}/capture`, { for_seconds: 60 })).status).toBe(status);
    }
    expect(services.seen.captures).toEqual([]);
  });

  it('take requests to be diagnosed with a secret that stays here', async () => {
    const { services, call } = open();
    const post = (url: string, body: unknown) => call('POST', url, body);
    const request = { headers: { 'x-sig': 'caf\u00e9' }, body_base64: 'e30=', received_at: '2026-01-02T03:04:05Z' };
    const { status, body } = await post('/api/v1/secrets/INTERNAL_CI_WEBHOOK_SECRET/diagnoses', request);
    expect([status, body.mistake]).toEqual([200, 'missing_credential']);
    expect(services.seen.uploads).toEqual([
      {
        secretName: 'INTERNAL_CI_WEBHOOK_SECRET',
        scheme: null,
        url: null,
        rawHeaders: ['x-sig', 'caf\u00e9'],
        body: new Uint8Array(Buffer.from('{}')),
        receivedAt: Date.parse('2026-01-02T03:04:05Z'),
      },
    ]);
    const refused = [
      { ...request, headers: { a: '\u0142' } },
      { ...request, headers: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`h${i}`, ''])) },
      { ...request, body_base64: 'e30' },
      { ...request, received_at: 'noon' },
      { ...request, received_at: '2026-13-02T03:04:05Z' },
      { ...request, url: 'file:///etc' },
      { ...request, signature: { keyPrefix: 'a' } },
    ];
    for (const wrong of refused)
      expect((await post('/api/v1/secrets/INTERNAL_CI_WEBHOOK_SECRET/diagnoses', wrong)).status).toBe(400);
    expect((await post('/api/v1/secrets/1-2/diagnoses', request)).status).toBe(400);
    expect(services.seen.uploads).toHaveLength(1);
  });

  it('serve diagnoses, which are one sentence', async () => {
    const { body } = await idle().get(`/api/v1/deliveries/${REJECTED_ID}/diagnosis`);
    const sentence = expect.stringContaining('Run `dockbell webhook capture internal-ci --for 10m`');
    expect(body).toEqual({ mistake: null, sentence, tried: [] });
  });
});

describe('plans', () => {
  const files = { 'webhooks/new.yaml': 'secretName: S\n' };

  it('are shown with the URL of what exists, and what is missing', async () => {
    const { status, body } = await open().call('POST', `${F}/plan`, {
      files: {
        ...files,
        'webhooks/internal-ci.yaml': 'secretName: INTERNAL_CI_WEBHOOK_SECRET\ndescription: Builds.\n',
        'automations/fix-errors/automation.md': `---
triggers:
  - { provider: webhook, event: received, filter: { webhooks: [internal-ci], payload: { level: [fatal] } } }
---
Fix it.
`,
      },
    });
    expect(status).toBe(200);
    const urls = [...body.webhooks.create, ...body.webhooks.update, ...body.webhooks.delete].map(
      ({ ingress_url: url }: { ingress_url: string | null }) => url,
    );
    expect(urls).toEqual([
      null,
      `https://hooks.example.com/webhooks/w/${WEBHOOK_UID}`,
      `https://hooks.example.com/webhooks/w/${URL_TOKEN_UID}/{token}`,
    ]);
    expect(body).toMatchObject({ factory: 'payments', applied_revision: 'c0ffee' });
    expect(body.missing_secrets).toEqual([{ name: 'S', webhooks: ['new'], automations: [] }]);
    expect(body.backtest).toMatchObject({ stored: 2, examined: 2, sampled: false });
    expect(body.backtest.automations[0].lost[0]).toMatchObject({ delivery: DELIVERY_ID, path: 'level' });
  });

  it('say when only a sample of the stored deliveries was examined', async () => {
    const planPreviewer = { preview: async () => makePlanPreview() };
    const { body } = await open({ planPreviewer }).call('POST', `${F}/plan`, { files });
    expect(body.backtest).toMatchObject({ stored: 10, examined: 9, sampled: true });
  });

  it.each([
    ['viewer', false],
    ['operator', false],
    ['manager', true],
    ['owner', true],
  ] as const)('look into the values of secrets for a %s: %s', async (role, mayCheckSecrets) => {
    const { call, services } = open({}, role);
    expect((await call('POST', `${F}/plan`, { files })).status).toBe(200);
    expect(services.seen.previewed).toEqual([{ paths: ['webhooks/new.yaml'], mayCheckSecrets }]);
  });

  it('of files that are not a valid definition are rejected with all findings', async () => {
    const diagnostics = makeAutomation().warnings;
    const planPreviewer = { preview: async () => ({ valid: false as const, diagnostics }) };
    const { status, body } = await open({ planPreviewer }).call('POST', `${F}/plan`, { files });
    expect([status, body.code, body.diagnostics]).toEqual([422, 'definition_invalid', diagnostics]);
  });

  it.each(['', '/etc/passwd', '../x', 'webhooks//a.yaml', 'a/./b', 'a\u0000b', 'a\nb'])(
    'are rejected for a file at %j',
    async (path) => {
      const { call, services } = idle();
      expect((await call('POST', `${F}/plan`, { files: { [path]: '' } })).status).toBe(400);
      expect(services.seen.previewed).toEqual([]);
    },
  );

  it('take more than other bodies', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`automations/a${index}/automation.md`, 'x'.repeat(10_000)]),
    );
    const { status, body } = await open().call('POST', `${F}/plan`, { files: many });
    // Read whole, and then found to be no automations.
    expect([status, body.code, body.diagnostics.length]).toEqual([422, 'definition_invalid', 300]);
  });
});

describe('webhooks', () => {
  it('list their handshakes, which have a kind and no label', async () => {
    const { body } = await idle().get(`${F}/webhooks/${WEBHOOK_UID}/handshakes`);
    expect(body).toEqual({
      data: [
        {
          kind: 'Handshake',
          webhook_uid: WEBHOOK_UID,
          handshake: 'slack url_verification',
          outcome: 'answered',
          detail: null,
          count: 1,
          received_at: '2026-01-02T03:04:05.678Z',
          client_address: '192.0.2.7',
        },
      ],
      next_cursor: null,
    });
  });

  it.each(['marked as deleted', 'missing'])('are a conflict after a change if they are %s since', async (how) => {
    const { inventory, editor } = createSeededServices();
    let isChanged = false;
    const changeWebhook = async () => {
      isChanged = true;
    };
    const webhook = async (uid: WebhookUid) => {
      const found = await inventory.webhook(uid);
      if (!isChanged) return found;
      return how === 'missing' ? null : { ...found!, deletedAt: NOW_MS };
    };
    const more = { inventory: { ...inventory, webhook }, editor: { ...editor, changeWebhook } };
    const { call } = open(more, 'manager', { source: 'live' });
    const { status, body } = await call('PATCH', `${F}/webhooks/${WEBHOOK_UID}`, { enabled: false });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toContain('deleted by somebody else since');
  });

  it('show the requests that have no log entry, the reason of the last one first', async () => {
    const { get, services } = open();
    const { ref } = (await services.inventory.webhook(WEBHOOK_UID))!;
    const nowMs = services.clock.wallMs();
    const count = (reason: string, count: number, hoursAgo: number) => {
      return { webhook: ref, reason, count, lastAt: nowMs - hoursAgo * 3_600_000 };
    };
    await services.storage.unloggedCounts.add([count('delivery_rate', 3, 30), count('of_a_later_version', 1, 0.5)]);
    await services.storage.unloggedCounts.add([count('delivery_rate', 4, 2)]);
    const shown = (await get(`${F}/webhooks/${WEBHOOK_UID}`)).body.unlogged_requests;
    expect(shown).toEqual([
      {
        reason: 'of_a_later_version',
        reason_text: 'of_a_later_version',
        status: null,
        last_hour: 1,
        last_24_hours: 1,
        last_31_days: 1,
        last_at: new Date(nowMs - 1_800_000).toISOString(),
      },
      {
        reason: 'delivery_rate',
        reason_text: expect.stringContaining('limits.deliveriesPerMinute'),
        status: 429,
        last_hour: 0,
        last_24_hours: 4,
        last_31_days: 7,
        last_at: new Date(nowMs - 7_200_000).toISOString(),
      },
    ]);
    expect((await get(`${F}/webhooks`)).body.data[0]).not.toHaveProperty('unlogged_requests');
  });

  it('are shown as the interfaces say', async () => {
    const { body } = await idle().get(`${F}/webhooks/${WEBHOOK_UID}`);
    expect(body).toEqual({
      uid: WEBHOOK_UID,
      factory: 'payments',
      name: 'internal-ci',
      description: null,
      auth_mode: 'token',
      signature_scheme: null,
      signature: null,
      secret_name: 'INTERNAL_CI_WEBHOOK_SECRET',
      secret_state: 'current',
      credential_state: 'current',
      secret_pinned_at: '2026-01-02T03:04:01.678Z',
      rotation_overlap: '0s',
      previous_secret_until: null,
      verify_token_secret_name: null,
      verify_token_state: null,
      body_format: 'json',
      form_field: null,
      delivery_id_header: null,
      delivery_id_path: null,
      expect_every: null,
      deduplicate: true,
      event: null,
      record_headers: [],
      serves: null,
      names: null,
      bot_username: null,
      ignore_actors: [],
      identified_by: 'service header or body',
      served: true,
      enabled: true,
      capture: null,
      ingress_url: `https://hooks.example.com/webhooks/w/${WEBHOOK_UID}`,
      file: 'webhooks/internal-ci.yaml',
      revision: 'c0ffee',
      created_at: '2026-01-02T03:04:00.678Z',
      updated_at: '2026-01-02T03:04:01.678Z',
      commit: expect.objectContaining({ author: 'Ann' }),
      last_delivery_at: '2026-01-02T03:04:05.678Z',
      traffic: {
        last_accepted_at: '2026-01-02T03:04:05.678Z',
        last_24_hours: { accepted: 1, duplicate: 0, rejected: 1 },
        acceptance_rate: 0.5,
        credential_failing: {
          since: '2026-01-02T03:04:05.678Z',
          last_at: '2026-01-02T03:04:05.678Z',
          count: 1,
          reason: 'bad_credential',
          reason_text: 'The token is not the secret of this webhook.',
        },
        rejections: {
          since: '2026-01-02T03:04:05.678Z',
          last_at: '2026-01-02T03:04:05.678Z',
          count: 1,
          reason: 'bad_credential',
          reason_text: 'The token is not the secret of this webhook.',
          examined: 1,
          addresses: [expect.any(String)],
          other_addresses: 0,
        },
      },
      deleted_at: null,
      unlogged_requests: [],
    });
  });

  it('of mode url_token show the literal {token} in their URL', async () => {
    const { body } = await idle().get(`${F}/webhooks/${URL_TOKEN_UID}`);
    expect(body.ingress_url).toBe(`https://hooks.example.com/webhooks/w/${URL_TOKEN_UID}/{token}`);
  });

  it.each([
    [{ deliveryIdHeader: 'X-Event-Id' }, 'header'],
    [{ authMode: 'signature', signatureScheme: 'github', deliveryIdPath: 'event.id' }, 'payload'],
    [{ authMode: 'signature', signatureScheme: 'github' }, 'provider'],
    [{ authMode: 'signature', signatureScheme: 'stripe' }, 'payload'],
    [{ authMode: 'signature', signatureScheme: 'calendly' }, 'body'],
    [{ authMode: 'signature', signatureScheme: 'standard_webhooks' }, 'provider'],
    [{ authMode: 'signature', signatureScheme: 'stripe', deliveryIdHeader: 'X-Event-Id' }, 'header'],
  ] as const)('with %j are identified by %s', async (more, expected) => {
    const { inventory } = createSeededServices();
    const { get } = open({ inventory: { ...inventory, webhook: async () => makeWebhook(more) } });
    expect((await get(`${F}/webhooks/${WEBHOOK_UID}`)).body.identified_by).toBe(expected);
  });

  it('that are deleted leave the list, but can be read by UID, as can their deliveries', async () => {
    const { get } = idle();
    const { body } = await get(`${F}/webhooks`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['by-url', 'internal-ci']);
    expect((await get(`${F}/webhooks/${DELETED_UID}`)).body.deleted_at).toBe('2026-01-02T03:04:05.678Z');
    expect((await get(`${F}/webhooks/${DELETED_UID}/deliveries`)).status).toBe(200);
  });

  it.each(['wh_0000000000000000000000000a', 'internal-ci', 'WH_0123456789ABCDEFGHJKMNPQRS', '%00', '..%2f..'])(
    'called %s do not exist',
    async (uid) => expect((await idle().get(`${F}/webhooks/${uid}`)).status).toBe(404),
  );
});

describe('short lists', () => {
  it('are whole unless pages are asked for; pages follow each other', async () => {
    const { get } = idle();
    const whole = (await get(`${F}/webhooks`)).body;
    const first = (await get(`${F}/webhooks?limit=1`)).body;
    const second = (await get(`${F}/webhooks?limit=1&cursor=${first.next_cursor}`)).body;
    expect([first.data.length, typeof first.next_cursor]).toEqual([1, 'string']);
    expect(second.next_cursor).toBeNull();
    expect([...first.data, ...second.data]).toEqual(whole.data);
  });

  it.each(['/api/v1/factories', `${F}/webhooks`, `${F}/automations`, '/api/v1/secrets', '/api/v1/tokens'])(
    '%s rejects a bad limit and a bad cursor',
    async (url) => {
      const { get } = idle();
      for (const query of [
        'limit=0',
        'limit=201',
        'limit=-1',
        'limit=1.5',
        'limit=x',
        'limit=',
        'limit=1&limit=2',
        'cursor=',
        'cursor=x',
        'cursor=YWZ0ZXI',
        'lable=x',
      ]) {
        const { status, body } = await get(`${url}?${query}`);
        expect([query, status, body.code]).toEqual([query, 400, 'bad_request']);
      }
    },
  );
});

describe('logs', () => {
  const lists = [`${F}/runs`, `${F}/reconciliations`, `${F}/webhooks/${WEBHOOK_UID}/deliveries`];

  it.each(lists)('%s come in pages of 50, or of what is asked for up to 200', async (url) => {
    const asked: number[] = [];
    const note = async ({ limit }: { limit: number }) => {
      asked.push(limit);
      return { data: [], nextCursor: 'more' };
    };
    const { deliveries, runs, reconciliations } = createSeededServices();
    const { get } = open({
      deliveries: { ...deliveries, list: note },
      runs: { ...runs, list: note },
      reconciliations: { ...reconciliations, list: note },
    });
    expect((await get(url)).body).toEqual({ data: [], next_cursor: 'more' });
    await get(`${url}?limit=200`);
    expect(asked).toEqual([50, 200]);
  });

  it.each(lists)('%s reject a bad limit and a bad cursor', async (url) => {
    const { get } = idle();
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=', 'cursor=made-up', 'label=Nope', 'state=nope']) {
      expect([query, (await get(`${url}?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('of deliveries can be narrowed to a label, of runs to any of their filters', async () => {
    const wanted: unknown[] = [];
    const { runs } = createSeededServices();
    const { get } = open({
      runs: {
        ...runs,
        list: async ({ factory: _, limit: __, cursor: ___, ...search }) => {
          wanted.push(search);
          return { data: [], nextCursor: null };
        },
      },
    });
    const { body } = await get(
      `${F}/webhooks/${WEBHOOK_UID}/deliveries?label=${encodeURIComponent('Rejected (auth)')}`,
    );
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([REJECTED_ID]);
    const of = `delivery=${DELIVERY_ID}&webhook=internal-ci&revision=c0ffee&since=2026-01-02T03:04:05Z`;
    await get(`${F}/runs?state=failed&automation=fix-errors&${of}`);
    await get(`${F}/runs`);
    expect((await get(`${F}/runs?since=yesterday`)).status).toBe(400);
    const [filters, none] = wanted;
    expect(filters).toEqual({
      state: 'failed',
      automation: 'fix-errors',
      delivery: DELIVERY_ID,
      webhook: 'internal-ci',
      revision: 'c0ffee',
      sinceAt: Date.parse('2026-01-02T03:04:05Z'),
    });
    expect(Object.values(none as object).every((value) => value === undefined)).toBe(true);
  });
});

describe('deliveries', () => {
  it('of other labels than Accepted have no payload, and the answer says why', async () => {
    const { status, body } = await idle().get(`/api/v1/deliveries/${REJECTED_ID}/payload`);
    expect([status, body.detail]).toEqual([
      404,
      'No payload is stored for this delivery. Its label is Rejected (auth).',
    ]);
  });

  it('say why nothing ran', async () => {
    const { body } = await idle().get(`/api/v1/deliveries/${DELIVERY_ID}/explain`);
    expect(body).toMatchObject({
      delivery: DELIVERY_ID,
      decisions: [{ outcome: 'filtered', path: 'level', run: null }],
      not_stored: { filtered: 0, disabled: 0, filter_error: 0 },
    });
  });
});

describe('automations', () => {
  it('show what each trigger listens to, and which are handled elsewhere', async () => {
    const { body } = await idle().get(`${F}/automations/fix-errors`);
    expect(body.triggers).toEqual([
      {
        provider: 'webhook',
        event: 'received',
        filter: {
          webhook_ids: [WEBHOOK_UID],
          webhooks: ['internal-ci'],
          headers: null,
          payload: { level: ['fatal'] },
        },
        line: 1,
        listens_to: [WEBHOOK_UID],
        handled_elsewhere: false,
      },
      expect.objectContaining({
        filter: { webhook_ids: [], webhooks: ['internal-ci'], headers: null, payload: { level: ['error'] } },
      }),
      {
        provider: 'schedule',
        event: 'cron',
        cron: '* * * * *',
        listens_to: [],
        handled_elsewhere: true,
        service: expect.objectContaining({ trigger: 'schedule cron', starts_here: false }),
      },
    ]);
  });
});

describe('filters/test', () => {
  const url = `${F}/filters/test`;

  it('returns the result, the trace and the key that decided', async () => {
    const { call } = open();
    const payload = { data: { level: 'warning' } };
    const no = await call('POST', url, { filter: { data: { level: ['error'] } }, payload });
    expect(no.body).toMatchObject({ verdict: 'Would not trigger', decided_by: 'data.level' });
    expect(no.body.trace.at(-1)).toMatchObject({
      path: 'data.level',
      operator: 'in',
      expected: ['error'],
      actual: 'warning',
      matched: false,
    });
    const yes = await call('POST', url, { filter: { data: { level: ['warning'] } }, payload });
    expect(yes.body).toMatchObject({ verdict: 'Would trigger', decided_by: null });
  });

  it('tests headers, of a request or of a stored delivery, in any letter case', async () => {
    const { call } = open();
    const headers_filter = { 'X-Event': ['push'] };
    const no = await call('POST', url, { headers_filter, filter: { a: [1] }, payload: { a: 1 } });
    expect(no.body).toMatchObject({
      decided_by: 'header x-event',
      message: 'header x-event is absent, expected "push"',
      trace: [
        { path: 'header x-event', matched: false },
        { path: 'a', matched: true },
      ],
    });
    const yes = await call('POST', url, { headers_filter, payload: 1, headers: { 'x-EVENT': 'push' } });
    expect(yes.body.verdict).toBe('Would trigger');
    const agent = { 'user-agent': { exists: true } };
    const stored = await call('POST', url, { headers_filter: agent, delivery: DELIVERY_ID });
    expect(stored.body.verdict).toBe('Would trigger');
    const invalid = await call('POST', url, { headers_filter: { 'X-Event': [1] }, payload: 1 });
    expect([invalid.status, invalid.body.errors[0].pointer]).toEqual([422, '#/headers_filter/X-Event']);
  });

  it('takes any JSON as payload, also null, false and keys that objects inherit', async () => {
    const { call } = open();
    for (const payload of [null, false, 0, '', []]) {
      expect((await call('POST', url, { filter: {}, payload })).body.verdict).toBe('Would trigger');
      expect((await call('POST', url, { filter: { a: { exists: true } }, payload })).body.verdict).toBe(
        'Would not trigger',
      );
    }
    const hostile = Buffer.from('{"filter": {"__proto__": {"x": [1]}}, "payload": {"__proto__": {"x": 1}}}');
    const { services } = open();
    const answer = await createSeededServer(services).inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${services.grant('viewer')}`, 'content-type': 'application/json' },
      payload: hostile,
    });
    expect(answer.json().verdict).toBe('Would trigger');
  });

  it('survives a payload nested as deep as a body can be', async () => {
    const { services } = open();
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    const answer = await createSeededServer(services).inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${services.grant('viewer')}`, 'content-type': 'application/json' },
      payload: `{"filter": {"a": ["b"]}, "payload": ${deep}}`,
    });
    expect(answer.json().verdict).toBe('Would not trigger');
  });

  it('answers an invalid filter with 422 and all that is wrong with it', async () => {
    const { status, body } = await open().call('POST', url, { filter: { 'a/b': [], c: { exists: 1 } }, payload: {} });
    expect([status, body.code]).toEqual([422, 'invalid_filter']);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '#/filter/a~1b',
      '#/filter/c/exists',
    ]);
  });

  it('lets any trigger of an automation that listens to the webhook of the delivery decide', async () => {
    const { body } = await open().call('POST', url, { automation: 'fix-errors', delivery: DELIVERY_ID });
    expect(body).toMatchObject({ verdict: 'Would trigger' });
    const { inventory } = createSeededServices();
    const unmatched = {
      ...inventory,
      automation: async () => ({
        ...makeAutomation({ listensTo: [[], [URL_TOKEN_UID], []] }),
        commit: null,
        results: NO_RESULTS,
        schedules: [],
      }),
    };
    const other = await open({ inventory: unmatched }).call('POST', url, {
      automation: 'fix-errors',
      delivery: DELIVERY_ID,
    });
    expect(other.body).toMatchObject({ verdict: 'Would not trigger', trace: [], decided_by: null });
    expect(other.body.message).toContain('does not listen');
  });

  it('says that a disabled automation would not trigger', async () => {
    const { inventory } = createSeededServices();
    const off = {
      ...inventory,
      automation: async () => ({
        ...makeAutomation({ enabled: false }),
        commit: null,
        results: NO_RESULTS,
        schedules: [],
      }),
    };
    const { body } = await open({ inventory: off }).call('POST', url, {
      automation: 'fix-errors',
      payload: { level: 'error' },
    });
    expect(body).toMatchObject({ verdict: 'Would not trigger', message: 'The automation fix-errors is disabled.' });
  });

  it('needs an accepted delivery of this factory and one thing of each kind', async () => {
    const { call } = open();
    expect((await call('POST', url, { filter: {}, delivery: REJECTED_ID })).status).toBe(409);
    expect((await call('POST', url, { filter: {}, delivery: 'dlv_none' })).status).toBe(404);
    expect((await call('POST', url, { automation: 'nope', payload: {} })).status).toBe(404);
    for (const body of [
      {},
      { filter: {} },
      { payload: {} },
      { filter: {}, automation: 'x', payload: 1 },
      { filter: {}, payload: 1, delivery: 'x' },
      { filter: {}, payload: 1, x: 1 },
    ]) {
      expect((await call('POST', url, body)).status).toBe(400);
    }
  });
});

describe('test deliveries', () => {
  const url = `${F}/webhooks/${WEBHOOK_UID}/test-deliveries`;
  const encode = (text: string) => Buffer.from(text).toString('base64');

  it('go out byte for byte, with the delivery ID that was asked for', async () => {
    const { call, get, services } = open({}, 'operator');
    const text = '{"level" :"error",\r\n"name": "\u00e9"}\n';
    const { status, body } = await call('POST', url, { payload_base64: encode(text), delivery_id: 'd-1' });
    expect([status, body.status, JSON.parse(body.body)]).toMatchObject([200, 202, { delivery_id: 'd-1' }]);
    const stored = await get(`${F}/deliveries?delivery_id=d-1`);
    expect(stored.body.data).toMatchObject([{ label: 'Accepted', webhook_uid: WEBHOOK_UID }]);
    const payload = await services.deliveries.payload(stored.body.data[0].id);
    expect(Buffer.from(payload!).toString('utf8')).toBe(text);
    expect(services.seen.sent).toEqual([{ uid: WEBHOOK_UID, body: text, deliveryId: 'd-1' }]);
  });

  it.each(['not json \u00e9', ''])('of %j are rejected by the ingress, and its answer is passed on', async (text) => {
    const { call, services } = open({}, 'operator');
    const { status, body } = await call('POST', url, { payload_base64: encode(text) });
    expect([status, body.status, JSON.parse(body.body).detail]).toEqual([200, 400, 'the body is not valid JSON']);
    expect(services.seen.sent).toEqual([{ uid: WEBHOOK_UID, body: text, deliveryId: null }]);
  });

  it('have further headers, but none of the connection and no credential', async () => {
    const { call, get } = open({}, 'operator');
    const headers = { 'X-Run': '\u00e9 1', 'User-Agent': 'provider/1', 'content-type': 'application/json; v=2' };
    const sent = { payload_base64: encode('{}'), delivery_id: 'd-2', headers };
    expect((await call('POST', url, sent)).body.status).toBe(202);
    const stored = await get(`${F}/deliveries?delivery_id=d-2`);
    expect(stored.body.data[0].headers).toMatchObject({
      'user-agent': 'provider/1',
      'content-type': 'application/json; v=2',
    });
    for (const name of ['Host', 'content-length', 'Authorization', 'X-Hub-Signature-256', 'a b', '']) {
      const { status, body } = await call('POST', url, { payload_base64: encode('{}'), headers: { [name]: '1' } });
      expect([name, status, body.code]).toEqual([name, 400, 'bad_request']);
    }
  });

  it('reject invalid base64, header injection and deleted webhooks', async () => {
    const { call, services } = open();
    for (const body of [
      { payload_base64: '***' },
      { payload_base64: 'e30' },
      { payload_base64: 'e30=', delivery_id: 'a\r\nX: y' },
    ]) {
      expect((await call('POST', url, body)).status).toBe(400);
    }
    const deleted = `${F}/webhooks/${DELETED_UID}/test-deliveries`;
    expect((await call('POST', deleted, { payload_base64: 'e30=' })).status).toBe(404);
    expect(services.seen.sent).toEqual([]);
  });
});

describe('runs', () => {
  it('that are queued say why they wait, and at which position', async () => {
    const { services, get } = open();
    await services.queueRun();
    const second = await services.queueRun();
    const reason_text =
      "Factory payments has no executor. Set runs.executor in dockbell.yaml and run 'dockbell reload', or start a worker.";
    const waiting = { reason: 'no_executor', reason_text };
    expect((await get(`/api/v1/runs/${second}`)).body.waiting).toEqual({ ...waiting, position: 2 });
    const { body } = await get(`${F}/runs`);
    expect(body.data.map((run: { waiting: unknown }) => run.waiting)).toEqual([
      { ...waiting, position: 2 },
      { ...waiting, position: 1 },
      null,
    ]);
  });

  it('show their input without a byte of the payload', async () => {
    const { body } = await idle().get(`/api/v1/runs/${RUN_ID}/input`);
    expect(body.attachments).toEqual([{ name: 'event-payload.json', size: 55, media_type: 'application/json' }]);
    expect(body.overrides).toEqual({ model: 'large', secrets: ['DEPLOY_KEY'] });
    expect(body.envelope).toContain('`internal-ci`');
    expect(JSON.stringify(body)).not.toContain('1e400');
  });

  it('have a log that can be read on from any byte', async () => {
    const { get } = idle();
    const whole = await get(`/api/v1/runs/${RUN_ID}/log`);
    expect([whole.body, whole.headers['content-type']]).toEqual([
      'line one\nline two ✓\n',
      'text/plain; charset=utf-8',
    ]);
    expect(whole.headers['x-next-offset']).toBe('22');
    const part = await get(`/api/v1/runs/${RUN_ID}/log?offset=9&limit=8`);
    expect([part.body, part.headers['x-next-offset']]).toEqual(['line two', '17']);
    const first = await get(`/api/v1/runs/${RUN_ID}/log?attempt=1&offset=9&limit=8`);
    expect([first.body, first.headers['x-next-offset']]).toEqual([part.body, '17']);
    expect((await get(`/api/v1/runs/${RUN_ID}/log?attempt=2`)).status).toBe(404);
    const end = await get(`/api/v1/runs/${RUN_ID}/log?offset=22`);
    expect([end.body, end.headers['x-next-offset']]).toEqual(['', '22']);
    for (const query of ['offset=-1', 'offset=x', 'limit=0', 'offset=1.5']) {
      expect((await get(`/api/v1/runs/${RUN_ID}/log?${query}`)).status).toBe(400);
    }
  });

  it('have the times of their log, in pages and for each attempt', async () => {
    const entries = [0, 10, 20, 30, 40].map((offset) => ({ offset, atMs: 1_000 * offset }));
    const attempts = [makeAttempt({ number: 1, logOffset: 0 }), makeAttempt({ number: 2, logOffset: 20 })];
    const { get } = open({
      runs: { ...createSeededServices().runs, attempts: async () => new Map([[RUN_ID, attempts]]) },
      runLogs: {
        read: async () => null,
        times: async (_run, offset, limit) => {
          const after = entries.findIndex((entry) => entry.offset > offset);
          const first = (after === -1 ? entries.length : after) - 1;
          return entries.slice(first, first + limit);
        },
      },
    });
    const read = async (query: string) => {
      const { body } = await get(`/api/v1/runs/${RUN_ID}/log/times${query}`);
      return [body.data.map((entry: { offset: number }) => entry.offset), body.next_offset];
    };
    expect(await read('')).toEqual([[0, 10, 20, 30, 40], null]);
    expect(await read('?limit=2')).toEqual([[0, 10], 20]);
    expect(await read('?limit=2&offset=25')).toEqual([[20, 30], 40]);
    expect(await read('?attempt=1')).toEqual([[0, 10], null]);
    expect(await read('?attempt=1&limit=1')).toEqual([[0], 10]);
    expect(await read('?attempt=2&limit=2')).toEqual([[0, 10], 20]);
    expect(await read('?attempt=2&offset=15')).toEqual([[10, 20], null]);
    const { body } = await get(`/api/v1/runs/${RUN_ID}/log/times?offset=40`);
    expect(body.data).toEqual([{ offset: 40, at: '1970-01-01T00:00:40.000Z' }]);
    expect((await get(`/api/v1/runs/${RUN_ID}/log/times?attempt=3`)).status).toBe(404);
    for (const query of ['offset=-1', 'limit=0', 'limit=10001']) {
      expect((await get(`/api/v1/runs/${RUN_ID}/log/times?${query}`)).status).toBe(400);
    }
  });

  it('have a log that browsers store as a file named after the run', async () => {
    const { get } = idle();
    const headers = async (query: string) => (await get(`/api/v1/runs/${RUN_ID}/log${query}`)).headers;
    expect((await headers(''))['content-disposition']).toBeUndefined();
    const whole = await headers('?download=true');
    expect(whole['content-disposition']).toBe(`attachment; filename="${RUN_ID}.log"`);
    expect([whole['content-type'], whole['x-content-type-options']]).toEqual(['text/plain; charset=utf-8', 'nosniff']);
    const first = await headers('?download=true&attempt=1');
    expect(first['content-disposition']).toBe(`attachment; filename="${RUN_ID}-attempt-1.log"`);
  });

  it('without a log have an empty one', async () => {
    const { status, body } = await open({ runLogs: { read: async () => null, times: async () => [] } }).get(
      `/api/v1/runs/${RUN_ID}/log`,
    );
    expect([status, body]).toEqual([200, '']);
  });

  it('answer a cancel with 200 where a worker holds them, and with 409 where they had ended', async () => {
    const { call } = open({}, 'operator');
    const cancel = () => call('POST', `/api/v1/runs/${RUN_ID}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { id: RUN_ID, state: 'cancelled' } });
    expect(await cancel()).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('answer a cancel with 202 where the daemon executes them, and end', async () => {
    const { call, get, services } = open({}, 'operator', { executor: new ScriptedExecutor() });
    const scope = { factories: ['payments'] };
    await services.secrets.put('DEPLOY_KEY', new SecretValue('what the automation names'), 'put', { scope });
    const id = await services.queueRun();
    await eventually(async () => (await services.runs.get(id))?.state === 'running');
    expect(await call('POST', `/api/v1/runs/${id}/cancel`)).toMatchObject({ status: 202, body: { id } });
    const state = async () => (await get(`/api/v1/runs/${id}`)).body.state;
    await eventually(async () => (await state()) === 'cancelled');
  });
});

describe('a search in the delivery log', () => {
  it.each([
    [`${F}/deliveries`, { factory: 'payments' }],
    [`${F}/webhooks/${WEBHOOK_UID}/deliveries`, { webhookUid: WEBHOOK_UID }],
  ])('at %s passes on the parameters', async (url, scope) => {
    const { get, services } = open();
    const query =
      'delivery_id=a%20b&from=2026-01-02T03:04:05Z&to=2026-01-02T04:04:05.5%2B01:00&label=Accepted&event=push&unmatched=true&search=acme';
    expect((await get(`${url}?${query}&limit=7`)).status).toBe(200);
    const times = { fromAt: Date.UTC(2026, 0, 2, 3, 4, 5), untilAt: Date.UTC(2026, 0, 2, 3, 4, 5, 500) };
    expect(services.seen.searched).toEqual([
      {
        ...scope,
        ...times,
        identity: 'a b',
        label: 'Accepted',
        event: 'push',
        isUnmatched: true,
        text: 'acme',
        after: undefined,
        isOldestFirst: false,
        limit: 7,
        cursor: null,
      },
    ]);
  });

  it('continues after a delivery, oldest first, but examines no payloads for that', async () => {
    const { get, services } = open();
    const after = 'dlv_01m83dz1y6fmh1q2j61rxb9fb4';
    expect((await get(`${F}/deliveries?after=${after}&order=oldest_first`)).status).toBe(404);
    expect(services.seen.searched).toMatchObject([{ after, isOldestFirst: true }]);
    for (const query of ['search=a', 'event=push', 'unmatched=true', 'delivery_id=a']) {
      expect((await get(`${F}/deliveries?order=oldest_first&${query}`)).body.code).toBe('bad_request');
    }
    expect((await get(`${F}/deliveries?after=last`)).status).toBe(400);
  });

  it.each(['from=yesterday', 'to=2026-01-02', 'from=1767323045678', 'to=2026-13-02T03:04:05Z', 'delivery_id='])(
    'rejects %s',
    async (query) => {
      expect((await idle().get(`${F}/deliveries?${query}`)).status).toBe(400);
    },
  );
});

describe('pull requests', () => {
  it('are listed with their last checks', async () => {
    const { status, body } = await idle().get(`${F}/pull-requests`);
    expect([status, body.problem, body.has_more]).toEqual([200, null, false]);
    expect(body.data).toEqual([
      expect.objectContaining({
        number: 7,
        fork: true,
        state: 'failure',
        checked_at: '2026-01-02T03:04:05.678Z',
        posts: [
          { kind: 'status', state: 'posted', problem: null },
          { kind: 'comment', state: 'given_up', problem: 'it responded with 403' },
        ],
      }),
      {
        number: 6,
        title: '',
        url: null,
        head: 'b'.repeat(40),
        fork: false,
        state: 'waiting',
        description: null,
        checked_at: null,
        posts: [],
      },
    ]);
  });
});

describe('activity', () => {
  it('covers whole hours, the last day where nothing else is asked for', async () => {
    const { status, body } = await idle().get(`${F}/activity`);
    expect([status, body.from, body.to, body.buckets.length]).toEqual([
      200,
      '2026-01-01T04:00:00.000Z',
      '2026-01-02T04:00:00.000Z',
      24,
    ]);
    expect(body.buckets[22]).toMatchObject({ deliveries: { Accepted: 0 }, runs: { running: 0 } });
    expect(body.buckets[23]).toMatchObject({
      start: '2026-01-02T03:00:00.000Z',
      runs: { running: 1, queued: 0 },
      deliveries: { Accepted: 1, 'Rejected (auth)': 1, Duplicate: 0 },
    });
    expect(body.webhooks).toEqual([{ webhook_uid: WEBHOOK_UID, deliveries: [...new Array(23).fill(0), 2] }]);
    const month = await idle().get(`${F}/activity?from=2025-12-02T04:00:00Z&to=2026-01-02T03:00:01Z`);
    expect([month.status, month.body.buckets.length]).toEqual([200, 744]);
  });

  it.each([
    'from=2025-12-02T03:59:59Z',
    'from=2026-01-02T04:00:00Z',
    'from=2026-01-02T03:00:00Z&to=2026-01-01T03:00:00Z',
    'bucket=minute',
  ])('rejects %s', async (query) => {
    expect((await idle().get(`${F}/activity?${query}`)).status).toBe(400);
  });
});

describe('payload keys', () => {
  it('are those of the stored payloads, none of a webhook without any', async () => {
    const { status, body } = await idle().get(`${F}/webhooks/${WEBHOOK_UID}/payload-keys`);
    expect([status, body.examined]).toEqual([200, 2]);
    expect(body.keys).toContainEqual({
      path: ['level'],
      text: 'level',
      payloads: 2,
      types: ['string'],
      examples: ['error'],
    });
    const none = await idle().get(`${F}/webhooks/${URL_TOKEN_UID}/payload-keys`);
    expect(none.body).toMatchObject({ examined: 0, keys: [] });
  });
});

describe('a backtest', () => {
  const ask = (body: object) => {
    const opened = open();
    return { ...opened, answer: opened.call('POST', `${F}/backtests`, body) };
  };
  const trigger = (filter: object) => ({ provider: 'webhook', event: 'received', filter });

  it('resolves names and UIDs, and omits deleted webhooks and other providers', async () => {
    const triggers = [
      trigger({ webhooks: ['by-url'], webhook_ids: [WEBHOOK_UID, 'wh_gone'], payload: { a: [1] } }),
      trigger({ webhook_ids: { in: [WEBHOOK_UID] } }),
      trigger({ webhook_ids: [WEBHOOK_UID], headers: { 'X-Event': ['push'] } }),
      { provider: 'schedule', event: 'cron' },
    ];
    const { answer, services } = ask({ automation: 'fix-errors', triggers });
    expect((await answer).status).toBe(200);
    expect(services.seen.backtested).toEqual([
      {
        factory: 'payments',
        automation: 'fix-errors',
        triggers: [
          { listensTo: [WEBHOOK_UID, URL_TOKEN_UID], filter: { payload: { a: [1] } } },
          { listensTo: [WEBHOOK_UID], filter: {} },
          { listensTo: [WEBHOOK_UID], filter: { headers: { 'X-Event': ['push'] } } },
        ],
      },
    ]);
  });

  it('of a disabled automation evaluates no trigger, but validates them', async () => {
    const disabled = (payload: object) => ({
      automation: 'fix-errors',
      enabled: false,
      triggers: [trigger({ webhooks: ['by-url'], payload })],
    });
    const { answer, services } = ask(disabled({ a: [1] }));
    expect((await answer).status).toBe(200);
    expect(services.seen.backtested).toEqual([{ factory: 'payments', automation: 'fix-errors', triggers: [] }]);
    expect((await ask(disabled({ a: [] })).answer).status).toBe(422);
  });

  it.each([
    ['an unknown automation', { automation: 'nobody', triggers: [] }, 404],
    ['an unknown webhook', { automation: null, triggers: [trigger({ webhooks: ['nobody'] })] }, 400],
    ['a filter that is not valid', { automation: null, triggers: [trigger({ payload: { a: [] } })] }, 422],
    ['no triggers', { automation: null }, 400],
  ])('of %s is rejected', async (_, body, status) => {
    const { answer, services } = ask(body);
    expect((await answer).status).toBe(status);
    expect(services.seen.backtested).toEqual([]);
  });
});

describe('a retry', () => {
  const url = `/api/v1/runs/${RUN_ID}/retry`;

  it('of a run that has ended queues it again; of one that has not it is a conflict', async () => {
    const { call } = open({}, 'operator');
    expect(await call('POST', url)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await call('POST', `/api/v1/runs/${RUN_ID}/cancel`);
    const { status, body } = await call('POST', url);
    expect([status, body.id, body.state, body.attempt]).toEqual([200, RUN_ID, 'queued', 2]);
    expect(body.attempts).toMatchObject([
      { number: 1, state: 'cancelled', reason: 'cancelled', requested_by: null, worker: 'build-machine' },
      {
        number: 2,
        state: 'queued',
        reason: null,
        reason_text: null,
        requested_by: { kind: 'token', name: expect.any(String) },
      },
    ]);
  });

  it('of a run without a stored payload is a conflict', async () => {
    const runControl = { retry: async () => 'payload_gone' } as unknown as RunControl;
    const answer = await open({ runControl }, 'operator').call('POST', url);
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
  });
});

describe('a retry of all runs that match', () => {
  const url = `${F}/runs/retry`;
  const count = `${F}/runs/retryable`;

  /** A factory with this number of runs that failed, oldest first, and one that succeeded. */
  async function openWithFailed(failed: number) {
    const opened = open({}, 'operator');
    const { services, call } = opened;
    const ids: RunId[] = [];
    for (let i = 0; i <= failed; i += 1) {
      const id = await services.queueRun();
      const { body } = await call('POST', '/api/v1/runs/claim');
      const end = i < failed ? { state: 'failed', error: 'exit code 1' } : { state: 'succeeded' };
      await call('POST', `/api/v1/runs/${id}/complete`, Object.assign({ fence: body.data[0].fence }, end));
      ids.push(id);
    }
    return { ...opened, failed: ids.slice(0, failed), succeeded: ids[failed]! };
  }

  it('queues dead letters again unless a state is given, with who asked for it', async () => {
    const { call, get, services, failed, succeeded } = await openWithFailed(3);
    expect((await get(`${F}/runs?dead_letter=true`)).body.data.map(({ id }: { id: string }) => id)).toEqual(
      failed.toReversed(),
    );
    expect((await get(count)).body).toEqual({ count: 3, next_cursor: null });
    expect(await call('POST', url)).toMatchObject({
      status: 200,
      body: { retried: 3, rejected: [], next_cursor: null },
    });
    for (const id of failed) {
      const { body } = await get(`/api/v1/runs/${id}`);
      expect(body).toMatchObject({ state: 'queued', attempt: 2, attempts: [{}, { requested_by: { kind: 'token' } }] });
    }
    expect((await get(count)).body.count).toBe(0);
    expect((await get(`${count}?state=succeeded`)).body.count).toBe(1);
    expect((await call('POST', url, { state: 'succeeded' })).body.retried).toBe(1);
    expect(await services.runs.get(succeeded)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it('takes the filters of the list', async () => {
    const { call, get, failed } = await openWithFailed(1);
    const { body: run } = await get(`/api/v1/runs/${failed[0]}`);
    const others: Record<string, string>[] = [
      { automation: 'other' },
      { webhook: 'other' },
      { revision: 'feed' },
      { delivery: 'dlv_00000000000000000000000000' },
      { since: '2026-01-02T03:05:00Z' },
    ];
    for (const filters of others) {
      expect((await get(`${count}?${new URLSearchParams(filters)}`)).body.count, JSON.stringify(filters)).toBe(0);
      expect((await call('POST', url, filters)).body.retried, JSON.stringify(filters)).toBe(0);
    }
    const filters = { automation: run.automation, webhook: run.webhook_uid, revision: run.revision.slice(0, 7) };
    expect((await call('POST', url, { ...filters, delivery: run.delivery, since: run.created_at })).body.retried).toBe(
      1,
    );
  });

  it('is continued with the cursor, or repeated without it', async () => {
    const { call, failed } = await openWithFailed(5);
    const first = await call('POST', url, { dead_letter: true, limit: 2 });
    expect(first.body).toMatchObject({ retried: 2, next_cursor: expect.any(String) });
    const second = await call('POST', url, { limit: 2, cursor: first.body.next_cursor });
    expect(second.body.retried).toBe(2);
    expect((await call('POST', url)).body).toEqual({ retried: 1, rejected: [], next_cursor: null });
    expect(failed).toHaveLength(5);
  });

  it('says which runs were rejected and why, and continues with the others', async () => {
    const { services } = await openWithFailed(0);
    const outcomes = ['queued', 'payload_gone', 'unfinished', 'not_found'];
    const runs = outcomes.map((_, i) => makeRun({ id: `run_0000000000000000000000000${i}`, state: 'failed' }));
    const retried: string[] = [];
    const { call } = open(
      {
        runs: { ...services.runs, list: async () => ({ data: runs, nextCursor: null }) },
        runControl: { retry: async (id: string) => outcomes[retried.push(id) - 1] } as unknown as RunControl,
      },
      'operator',
    );
    const { body } = await call('POST', url);
    expect(retried).toEqual(runs.map(({ id }) => id));
    expect(body).toEqual({
      retried: 1,
      rejected: outcomes
        .slice(1)
        .map((reason, i) => ({ run: runs[i + 1]!.id, reason, reason_text: expect.any(String) })),
      next_cursor: null,
    });
  });

  it('is in the audit log with its filters and its result', async () => {
    const { call, services } = await openWithFailed(2);
    await call('POST', url, { dead_letter: true, automation: 'fix-errors' });
    const { data } = await services.auditLog.list({
      limit: 1,
      cursor: null,
      actor: null,
      object: null,
      outcome: null,
    });
    expect(data).toMatchObject([
      {
        object: 'factories/payments/runs/retry',
        changes: { dead_letter: true, automation: 'fix-errors', limit: '[not shown]', retried: 2, rejected: 0 },
      },
    ]);
  });

  it.each([
    { state: 'running' },
    { state: 'failed', dead_letter: true },
    { limit: 0 },
    { since: 'yesterday' },
    { x: 1 },
  ])('rejects %j', async (body) => {
    expect((await idle('operator').call('POST', url, body)).status).toBe(400);
  });

  it('rejects dead letters of another state in the list', async () => {
    expect((await idle().get(`${F}/runs?dead_letter=true&state=queued`)).status).toBe(400);
  });
});

describe('workers', () => {
  const url = '/api/v1/runs/claim';

  it('get runs with everything needed to execute them, each once', async () => {
    const { call, services } = open({}, 'operator');
    const id = await services.queueRun();
    const { status, body } = await call('POST', url);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        run: expect.objectContaining({ id, state: 'running', attempt: 1, executor: 'queue' }),
        webhook: { name: 'internal-ci', uid: WEBHOOK_UID },
        agent: null,
        input: {
          prompt: 'Fix it.',
          envelope: expect.stringContaining('untrusted'),
          overrides: { model: 'large', secrets: ['DEPLOY_KEY'] },
          stands_for: { count: 0, deliveries: [] },
          workspace: null,
          event: HOSTILE_TEXT,
          context: {},
          attachments: [{ name: 'event-payload.json', size: 55, media_type: 'application/json' }],
        },
        secrets: null,
        checkout: null,
        trace: null,
        fence: 1,
        timeout_seconds: 1800,
        lease_seconds: 60,
        lease_expires_at: '2026-01-02T03:05:05.678Z',
      },
    ]);
    expect((await call('POST', url)).body.data).toEqual([]);
  });

  it('may ask for one factory and for several runs, up to its concurrency', async () => {
    const { call, services } = open({}, 'operator');
    const queued = [];
    for (let count = 0; count < 5; count++) queued.push(await services.queueRun());
    const claim = async (body?: object) =>
      (await call('POST', url, body)).body.data.map(({ run }: { run: { id: string } }) => run.id);
    expect(await claim({ factory: 'other', limit: 100 })).toEqual([]);
    expect(await claim()).toEqual(queued.slice(0, 1));
    // 4 at a time; a worker holds the seeded run.
    expect(await claim({ factory: 'payments', limit: 100 })).toEqual(queued.slice(1, 3));
    for (const limit of [0, 101]) expect((await call('POST', url, { limit })).status).toBe(400);
  });

  it('may not ask for runs that the daemon executes, nor for those of nobody', async () => {
    const { call } = open({}, 'operator', { executor: new ScriptedExecutor() });
    const claim = async (factory: string) => (await call('POST', url, { factory })).status;
    expect([await claim('other'), await claim('payments'), await claim('nowhere')]).toEqual([200, 409, 404]);
  });

  it('with a limited token are given runs of its factories only', async () => {
    const services = createSeededServices();
    const app = createSeededServer(services);
    const id = await services.queueRun();
    const claimAs = (factory: string) => async (payload: object) => {
      const headers = { authorization: `Bearer ${services.grant('operator', [factory])}` };
      const answer = await app.inject({ method: 'POST', url, headers, payload });
      return { status: answer.statusCode, body: answer.json() };
    };
    expect(await claimAs('other')({})).toEqual({ status: 200, body: { data: [] } });
    expect((await claimAs('other')({ factory: 'payments' })).status).toBe(404);
    expect((await claimAs('payments')({})).body.data).toMatchObject([{ run: { id } }]);
  });

  it('renew their lease and say how a run has ended', async () => {
    const { call, get, services } = open({}, 'operator');
    for (let count = 0; count < 3; count++) await services.queueRun();
    const claimed = (await call('POST', url, { limit: 3 })).body.data;
    const [first, second, third] = claimed.map(({ run }: { run: { id: string } }) => run.id);
    services.clock.advance(1_000);
    const beat = await call('POST', `/api/v1/runs/${RUN_ID}/heartbeat`, { fence: 1 });
    expect([beat.status, beat.body.lease_seconds, beat.body.lease_expires_at]).toEqual([
      200,
      60,
      '2026-01-02T03:05:06.678Z',
    ]);
    const complete = (id: string, body: object) => call('POST', `/api/v1/runs/${id}/complete`, { fence: 1, ...body });
    const refused = [{}, { state: 'cancelled' }, { state: 'succeeded', error: 'no' }, { state: 'failed', fence: 0 }];
    for (const body of refused) expect((await complete(RUN_ID, body)).status).toBe(400);
    const ends: [id: string, body: object, end: object][] = [
      [RUN_ID, { state: 'succeeded', exit_code: 0 }, { state: 'succeeded', error: null, exit_code: 0 }],
      [first, { state: 'failed', exit_code: 3, log: 'no' }, { state: 'failed', error: 'exit code 3', exit_code: 3 }],
      [second, { state: 'failed' }, { error: 'the worker gave no reason', exit_code: null }],
      [third, { state: 'failed', error: 'it broke' }, { error: 'it broke', exit_code: null }],
    ];
    for (const [id, body, end] of ends) {
      expect(await complete(id, body)).toMatchObject({ status: 200, body: { id, ...end } });
      expect((await get(`/api/v1/runs/${id}`)).body).toMatchObject(end);
    }
    expect((await get(`/api/v1/runs/${first}/log`)).body).toBe('no');
    expect((await get(`/api/v1/runs/${RUN_ID}/log`)).body).toBe('line one\nline two ✓\n');
  });

  it('get 409 with the reason when they have lost a run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { call, services } = open({}, 'operator');
      await services.start();
      services.clock.advance(60_000);
      await vi.advanceTimersByTimeAsync(60_000);
      const beat = await call('POST', `/api/v1/runs/${RUN_ID}/heartbeat`, { fence: 1 });
      expect([beat.status, beat.body.code, beat.body.detail]).toEqual([
        409,
        'conflict',
        'The lease had expired and the run is queued again, as attempt 2. Stop working on it.',
      ]);
      const end = { fence: 1, state: 'failed' };
      expect((await call('POST', `/api/v1/runs/${RUN_ID}/complete`, end)).status).toBe(409);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a replay', () => {
  it('goes to all automations or to one, and answers with the delivery that it made', async () => {
    const { call, services } = open({}, 'operator');
    const url = `/api/v1/deliveries/${DELIVERY_ID}/replay`;
    const made = await call('POST', url);
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ replay_of: DELIVERY_ID })]);
    expect((await call('POST', url, { automation: 'fix-errors' })).status).toBe(201);
    const asked = { id: DELIVERY_ID, clientAddress: '127.0.0.1' };
    expect(services.seen.replayed).toEqual([
      { ...asked, automation: null },
      { ...asked, automation: 'fix-errors' },
    ]);
    expect((await call('POST', url, { automaton: 'fix-errors' })).status).toBe(400);
  });

  it('of what keeps no payload is a conflict', async () => {
    const { status, body } = await open({}, 'operator').call('POST', `/api/v1/deliveries/${REJECTED_ID}/replay`);
    expect([status, body.code]).toEqual([409, 'conflict']);
  });
});

describe('reconciliations', () => {
  it('on request respond immediately, or with wait=true when the pass has ended', async () => {
    const { call, services } = open({}, 'operator');
    const asked = await call('POST', `${F}/reconciliations`);
    expect([asked.status, asked.body]).toEqual([
      202,
      { factory: 'payments', requested_at: new Date(NOW_MS).toISOString() },
    ]);
    const waited = await call('POST', `${F}/reconciliations?wait=true`);
    expect([waited.status, waited.body]).toEqual([
      200,
      expect.objectContaining({ factory: 'payments', revision: 'c0ffee', result: 'unchanged' }),
    ]);
    expect(services.seen.reconciled).toEqual(['payments', 'payments']);
  });

  it('have a route that answers whether a commit is part of what is live', async () => {
    const answers = { c0ffee1: 'yes', c0ffee2: 'no', c0ffee3: 'unknown' } as const;
    const { call } = open({
      reconcile: {
        reconcileNow: () => Promise.reject(new Error('unused')),
        contains: async (_factory, _revision, earlier) => answers[earlier as keyof typeof answers],
      },
    });
    for (const [revision, contained] of Object.entries({ c0ffee1: true, c0ffee2: false, c0ffee3: null })) {
      expect((await call('GET', `${F}/ancestry/${revision}`)).body).toMatchObject({ revision, contained });
    }
    for (const revision of ['c0ffee', '--all-x', 'HEADHEAD']) {
      expect((await call('GET', `${F}/ancestry/${revision}`)).status).toBe(400);
    }
  });

  it('that break after the answer are logged, and break nothing else', async () => {
    const reconcileNow = async () => Promise.reject(new AppError('source_unavailable', 'git is unreachable'));
    const { call, services } = open({ reconcile: { reconcileNow, contains: async () => 'unknown' as const } });
    expect((await call('POST', `${F}/reconciliations`)).status).toBe(202);
    expect(services.seen.logLines.join()).toContain('git is unreachable');
    expect((await call('POST', `${F}/reconciliations?wait=true`)).status).toBe(502);
  });
});

describe('secrets', () => {
  it('are stored with a warning if the next apply of a webhook rejects the value', async () => {
    const { call } = open();
    const store = async (value: string) =>
      (await call('PUT', '/api/v1/secrets/BY_URL_WEBHOOK_SECRET', { value })).body.warning;
    expect(await store('short-canary')).toMatch(/^The next apply of the webhook \S+ will fail\. .*shorter than 16/);
    expect(await store('a value of some canaries')).toContain('is not URL-safe');
    expect(await store('a value of some canaries')).not.toContain('canaries');
    expect(await store('a-value-of-some-canaries')).toBeNull();
  });

  it('are stored and deleted by name, and never read', async () => {
    const { call, services } = open();
    const created = await call('PUT', '/api/v1/secrets/A_SECRET', { value: 'canary-7f3a' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        name: 'A_SECRET',
        version: 1,
        created: true,
        scope: { webhook: [], run: [] },
        warning: expect.stringContaining('dockbell secret update A_SECRET --factory'),
      },
    ]);
    const rescope = (body: object, query = '') => call('PUT', `/api/v1/secrets/A_SECRET${query}`, body);
    const scoped = await rescope({ factories: ['payments'], uses: ['run'] });
    expect([scoped.status, scoped.body]).toMatchObject([
      200,
      { version: 1, scope: { webhook: [], run: ['payments'] }, warning: null },
    ]);
    expect((await rescope({ factories: null })).body.scope).toEqual({ webhook: [], run: null });
    expect(await rescope({ factories: ['paymints'] })).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(await rescope({})).toMatchObject({ status: 400 });
    expect((await call('PUT', '/api/v1/secrets/A_SECRET?mode=update', { value: 'canary-7f3a' })).status).toBe(200);
    expect(services.seen.stored.map(({ mode }) => mode)).toEqual(['put', 'put', 'put', 'update']);
    expect((await call('GET', '/api/v1/secrets/A_SECRET')).status).toBe(405);
    const list = await call('GET', '/api/v1/secrets');
    expect(Object.keys(list.body.data[0])).toEqual([
      'name',
      'version',
      'created_at',
      'updated_at',
      'scope',
      'used_by',
      'listed_by',
      'notify',
    ]);
  });

  it('reject an empty value, a value that is not a text, a bad name and a bad mode', async () => {
    const { call, services } = open();
    for (const value of ['', 5, null, { a: 1 }]) {
      expect((await call('PUT', '/api/v1/secrets/A', { value })).status).toBe(400);
    }
    const { body } = await call('PUT', '/api/v1/secrets/A', { value: '' });
    expect(body.errors).toEqual([{ pointer: '#/value', in: 'body', detail: 'must not be empty' }]);
    for (const name of ['a-b', '1A', 'A%20B', 'A%0AB', 'x'.repeat(129)]) {
      expect((await call('PUT', `/api/v1/secrets/${name}`, { value: 'v' })).status).toBe(400);
    }
    expect((await call('PUT', '/api/v1/secrets/A?mode=upsert', { value: 'v' })).status).toBe(400);
    expect(services.seen.stored).toEqual([]);
  });

  it('in use are deleted by force only', async () => {
    const { call, services } = open();
    const url = '/api/v1/secrets/INTERNAL_CI_WEBHOOK_SECRET';
    const refused = await call('DELETE', url);
    expect([refused.status, refused.body.code]).toEqual([409, 'secret_in_use']);
    expect((await call('DELETE', `${url}?force=1`)).status).toBe(400);
    expect((await call('DELETE', `${url}?force=true`)).status).toBe(204);
    expect((await call('DELETE', url)).status).toBe(404);
    expect(services.seen.deletedSecrets).toEqual([{ name: 'INTERNAL_CI_WEBHOOK_SECRET', force: true }]);
  });
});

describe('tokens', () => {
  it('are shown once, work immediately, and stop working when revoked', async () => {
    const services = createSeededServices();
    const app = createSeededServer(services);
    const owner = { authorization: `Bearer ${services.grant('owner')}` };
    const payload = { name: 'ci', role: 'viewer', factories: ['payments'] };
    const made = (await app.inject({ method: 'POST', url: '/api/v1/tokens', headers: owner, payload })).json();
    expect(made).toMatchObject({ name: 'ci', role: 'viewer', factories: ['payments'], last_used_at: null });
    expect(made.token).toMatch(/^dbk_[A-Za-z0-9_-]{43}$/);
    const mine = { authorization: `bearer ${made.token}` };
    expect((await app.inject({ url: F, headers: mine })).statusCode).toBe(200);
    const list = await app.inject({ url: '/api/v1/tokens', headers: owner });
    expect(list.body).not.toContain(made.token);
    const revoke = { method: 'DELETE', url: `/api/v1/tokens/${made.id}`, headers: owner } as const;
    expect((await app.inject(revoke)).statusCode).toBe(204);
    expect((await app.inject(revoke)).statusCode).toBe(404);
    expect((await app.inject({ url: F, headers: mine })).statusCode).toBe(401);
  });

  it('cannot be limited to factories that do not exist, nor to none', async () => {
    const { call } = open();
    const { status, body } = await call('POST', '/api/v1/tokens', {
      name: 'x',
      role: 'viewer',
      factories: ['payments', 'paymnets'],
    });
    expect([status, body.errors]).toEqual([
      400,
      [{ pointer: '#/factories/1', in: 'body', detail: 'is not a factory of this daemon' }],
    ]);
    expect((await call('POST', '/api/v1/tokens', { name: 'x', role: 'viewer', factories: [] })).status).toBe(400);
    for (const name of ['a\0b', 'a\x1b[31mb', 'a\nb', 'a\u2028b']) {
      expect((await call('POST', '/api/v1/tokens', { name, role: 'viewer' })).status).toBe(400);
    }
  });
});

describe('what a repository decides', () => {
  const hook = `${F}/webhooks/${WEBHOOK_UID}`;
  it.each([
    ['POST', `${F}/webhooks`, 'Add the file webhooks/<name>.yaml'],
    ['PATCH', hook, 'Edit the file webhooks/internal-ci.yaml'],
    ['DELETE', hook, 'Delete the file webhooks/internal-ci.yaml'],
    ['POST', `${hook}/rotate`, 'dockbell secret update INTERNAL_CI_WEBHOOK_SECRET'],
    ['POST', `${hook}/secret`, 'dockbell secret update INTERNAL_CI_WEBHOOK_SECRET'],
    ['POST', `${F}/automations`, 'Add the file automations/<name>/automation.md'],
    ['PUT', `${F}/automations/fix-errors`, 'Edit the file automations/fix-errors/automation.md'],
    ['PUT', `${F}/automations/new-one`, 'Add the file automations/new-one/automation.md'],
    ['DELETE', `${F}/automations/fix-errors`, 'Delete the file automations/fix-errors/automation.md'],
  ] as const)('%s %s is a conflict that says: %s', async (method, url, advice) => {
    const { call } = idle('manager');
    const { status, body } = await call(method, url, { enabled: false });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toContain(advice);
    expect(body.detail).toContain('branch main');
  });

  it('is rejected after 401, 403 and 404, and for every body', async () => {
    const services = createSeededServices();
    const app = createSeededServer(services);
    const patch = async (uid: string, role: Role | null, payload: string) => {
      const headers = role === null ? {} : { authorization: `Bearer ${services.grant(role)}` };
      return (await app.inject({ method: 'PATCH', url: `${F}/webhooks/${uid}`, headers, payload })).statusCode;
    };
    expect(await patch(WEBHOOK_UID, null, '{')).toBe(401);
    expect(await patch('wh_none', 'operator', '{')).toBe(403);
    expect(await patch('wh_none', 'manager', '{')).toBe(404);
    expect(await patch(DELETED_UID, 'manager', '{')).toBe(404);
    expect(await patch(WEBHOOK_UID, 'manager', '{')).toBe(409);
  });

  it('names files below the folder of the factory', async () => {
    const findSource = () => ({
      type: 'repository' as const,
      url: null,
      branch: 'main',
      path: './teams/pay/',
      pullRequests: false,
    });
    const { body } = await open({ findSource }).call('POST', `${F}/webhooks`);
    expect(body.detail).toContain('teams/pay/webhooks/<name>.yaml');
  });
});

describe('health', () => {
  it('is 503 with the problems while the daemon is not ready', async () => {
    const ready = async () => ({ ready: false, problems: ['The storage is not writable.'], warnings: [] });
    const { status, body } = await open({ health: { ready } }).get('/readyz');
    expect(status).toBe(503);
    expect(body).toMatchObject({ ready: false, problems: ['The storage is not writable.'], code: 'not_ready' });
  });

  it('is 200 with warnings when deliveries are accepted and something needs attention', async () => {
    const ready = async () => ({ ready: true, problems: [], warnings: ['The clock is wrong.'] });
    const { status, body } = await open({ health: { ready } }).get('/readyz');
    expect(status).toBe(200);
    expect(body).toEqual({ ready: true, problems: [], warnings: ['The clock is wrong.'] });
  });
});
