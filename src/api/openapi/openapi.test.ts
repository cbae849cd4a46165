import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { inlineAnswers } from '../../../site/api-reference/inline-answers.mjs';
import { eventually } from '../../../test/helpers/eventually.ts';
import { ScriptedExecutor } from '../../../test/helpers/scripted-executor.ts';
import {
  createSeededServer,
  createSeededServices,
  DELETED_UID,
  DELIVERY_ID,
  RECONCILIATION_ID,
  REJECTED_ID,
  REPLAY_JOB_ID,
  RUN_ID,
  URL_TOKEN_UID,
  WEBHOOK_UID,
} from '../../../test/helpers/seeded-services.ts';
import { findValidator } from '../../definitions/yaml/validators/automation.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { BODY_EXAMPLES, COMPONENT_EXAMPLES } from './examples.ts';
import { OPERATIONS } from './operations.ts';

type Content = Record<string, { schema: object; examples?: Record<string, { summary: string; value: unknown }> }>;
interface Operation {
  operationId: string;
  tags: string[];
  description: string;
  security?: unknown[];
  parameters?: { name: string; in: string; schema: object; required?: boolean; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content; headers?: object }>;
}
interface Document {
  openapi: string;
  servers: object[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<'schemas' | 'responses' | 'headers', Record<string, object>>;
}

const services = createSeededServices();
const app = createSeededServer(services);
const token = services.grant('owner');
const headers = { authorization: `Bearer ${token}` };
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajvFormats.default(ajv);
let served: Document;
/** Without references to shared answers. */
let document: Document;

beforeAll(async () => {
  served = (await app.inject({ url: '/api/v1/openapi.json', headers })).json();
  document = inlineAnswers(served);
  // Under a name, so that `#/components/...` resolves for a schema taken out of it.
  ajv.addSchema({ $id: 'doc:', ...document });
});

function validatorFor(schema: object) {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc:#/components')));
}

function operations(): [path: string, method: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 with the names of the interfaces', () => {
    expect(document.openapi).toBe('3.1.0');
    const names = [
      'Factory',
      'Webhook',
      'Delivery',
      'Run',
      'Reconciliation',
      'Automation',
      'Secret',
      'Token',
      'Problem',
    ];
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
  });

  it('lists every route, and no other', () => {
    const described = operations().map(([path, method]) => `${method.toUpperCase()} ${path}`);
    const registered = app.accessTable
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(described.sort()).toEqual(registered.sort());
  });

  it('resolves every reference', () => {
    const refs = [...JSON.stringify(served).matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]!);
    expect(refs.length).toBeGreaterThan(100);
    for (const ref of new Set(refs)) {
      const [, kind = '', name = ''] = /^#\/components\/(schemas|responses|headers)\/([\w-]+)$/.exec(ref) ?? [];
      expect(served.components[kind as 'schemas']?.[name], ref).toBeDefined();
    }
  });

  it('has each error once, and uses each', () => {
    const text = JSON.stringify(served.paths);
    expect(text).not.toContain('application/problem+json');
    const { responses, headers } = served.components;
    expect(Object.keys(responses).filter((name) => !text.includes(`"#/components/responses/${name}"`))).toEqual([]);
    const all = JSON.stringify([served.paths, responses]);
    expect(Object.keys(headers).filter((name) => !all.includes(`"#/components/headers/${name}"`))).toEqual([]);
  });

  it('holds valid schemas only, of parameters, bodies and answers', () => {
    const distinct = new Map<string, object>();
    for (const [, , { parameters = [], requestBody, responses }] of operations()) {
      const contents = [requestBody, ...Object.values(responses)].map((part) => Object.values(part?.content ?? {}));
      const schemas = [...parameters, ...contents.flat()].map(({ schema }) => schema);
      expect(schemas.length).toBeGreaterThan(0);
      for (const schema of schemas) distinct.set(JSON.stringify(schema), schema);
    }
    for (const schema of distinct.values()) expect(() => validatorFor(schema)).not.toThrow();
    expect(() => validatorFor({ type: 'strnig' })).toThrow();
  });

  it('names each operation once, describes each answer, and declares each parameter of a path', () => {
    const ids = operations().map(([, , { operationId }]) => operationId);
    expect(operations().filter(([, , { operationId }]) => operationId === undefined)).toEqual([]);
    expect(
      Object.values(OPERATIONS)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
    expect(ids).toContain('createWebhook');
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.stringify(document)).not.toContain('Default Response');
    for (const [path, , { parameters = [] }] of operations()) {
      const declared = parameters.filter((it) => it.in === 'path').map(({ name }) => `{${name}}`);
      expect(declared.sort()).toEqual((path.match(/\{\w+\}/g) ?? []).sort());
    }
  });

  it('lets every POST be repeated: with an Idempotency-Key, or because it creates nothing new', () => {
    const all = operations();
    const keyed = all.filter(([, , { parameters = [] }]) =>
      parameters.some(({ name, in: place }) => place === 'header' && name === 'Idempotency-Key'),
    );
    const plain = all.filter((operation) => operation[1] === 'post' && !keyed.includes(operation));
    expect(keyed.map(([path, method]) => `${method} ${path.replace('/api/v1', '')}`).sort()).toEqual([
      'post /deliveries/{id}/replay',
      'post /factories/{factory}/automations',
      'post /factories/{factory}/replays',
      'post /factories/{factory}/runs/retry',
      'post /factories/{factory}/webhooks',
      'post /factories/{factory}/webhooks/{uid}/backfills',
      'post /factories/{factory}/webhooks/{uid}/rotate',
      'post /factories/{factory}/webhooks/{uid}/test-deliveries',
      'post /login-links',
      'post /runs/{id}/retry',
      'post /tokens',
      'post /users',
    ]);
    // Questions, and changes that are the same when they are made twice; a claim whose answer is lost ends with its lease.
    expect(plain.map(([path]) => path.replace('/api/v1', '').replace('/factories/{factory}', '')).sort()).toEqual([
      '/alert-targets/{name}/test',
      '/alerts/{id}/acknowledge',
      '/automations/{name}/pause',
      '/backtests',
      '/backup',
      '/drain',
      '/filters/test',
      '/master-key/rotations',
      '/pause',
      '/plan',
      '/reconciliations',
      '/reload',
      '/rename',
      '/replays/{id}/cancel',
      '/reverts',
      '/runs/claim',
      '/runs/{id}/artifacts/{number}',
      '/runs/{id}/cancel',
      '/runs/{id}/complete',
      '/runs/{id}/hand-back',
      '/runs/{id}/heartbeat',
      '/runs/{id}/start',
      '/secrets/{name}/diagnoses',
      '/session',
      '/session/password',
      '/webhooks/{uid}/capture',
      '/webhooks/{uid}/connection',
      '/webhooks/{uid}/connection/plan',
      '/webhooks/{uid}/secret',
    ]);
  });

  it('can be read without a token, and says where the API is', async () => {
    expect((await app.inject({ url: '/api/v1/openapi.json' })).statusCode).toBe(200);
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    const names = document.tags.map(({ name }) => name);
    for (const [, , { tags }] of operations()) for (const tag of tags) expect(names).toContain(tag);
  });

  it('describes the headers of answers', () => {
    const headersOf = (path: string, method: string, status: string) =>
      Object.keys(document.paths[`/api/v1${path}`]![method]!.responses[status]!.headers ?? {});
    expect(headersOf('/factories/{factory}/webhooks', 'post', '201')).toEqual([
      'ETag',
      'Location',
      'Idempotent-Replayed',
    ]);
    expect(headersOf('/factories/{factory}/webhooks/{uid}', 'get', '304')).toEqual(['ETag']);
    expect(headersOf('/tokens', 'get', '429')).toEqual(['Retry-After', 'RateLimit', 'RateLimit-Policy', 'Link']);
  });

  it('lists the errors of what routes have in common: guessed tokens, reused idempotency keys, bodies', () => {
    const listed = (path: string, method: string) => Object.keys(document.paths[`/api/v1${path}`]![method]!.responses);
    expect(listed('/tokens', 'post')).toEqual(expect.arrayContaining(['400', '409', '413', '415', '422', '429']));
    expect(listed('/events', 'get')).toEqual(expect.arrayContaining(['404', '429']));
    for (const [path, , { security, responses }] of operations()) {
      if (security === undefined)
        expect([path, Object.keys(responses)]).toEqual([path, expect.arrayContaining(['429'])]);
    }
  });

  it('says the role that each route needs, and which are open', () => {
    for (const { method, url, access } of app.accessTable.filter((row) => row.method !== 'HEAD')) {
      const operation = document.paths[url.replaceAll(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!;
      const isOpen = access.role === 'public';
      expect(operation.description).toContain(isOpen ? 'Open: needs no credentials.' : `Role: ${access.role}.`);
      expect(operation.security).toEqual(isOpen ? [] : undefined);
      // Signing in is public, and rejects wrong credentials.
      if (url !== '/api/v1/session') expect(Object.keys(operation.responses).includes('401')).toBe(!isOpen);
    }
  });
});

const F = '/api/v1/factories/payments';
/** Responses that contain any text of a file or a sender. */
const FREE_FORM = ['getDeliveryPayload', 'getRunPayload', 'getSchema', 'getOpenApi'];

describe('the examples of the OpenAPI document', () => {
  const expectValid = (schema: object, value: unknown) => {
    const validate = validatorFor(schema);
    validate(value);
    expect(validate.errors).toBeNull();
  };

  it('exist for each named schema and are valid', () => {
    const { schemas } = document.components;
    expect(Object.keys(COMPONENT_EXAMPLES).sort()).toEqual(Object.keys(schemas).sort());
    for (const [name, schema] of Object.entries(schemas)) {
      const { examples = [] } = schema as { examples?: unknown[] };
      expect(examples, name).not.toEqual([]);
      for (const example of examples) expectValid({ $ref: `#/components/schemas/${name}` }, example);
    }
  });

  it('exist for each request body and are valid', () => {
    const withBody = operations().flatMap(([, , operation]) => (operation.requestBody === undefined ? [] : operation));
    expect(withBody.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(BODY_EXAMPLES).sort());
    for (const { operationId, requestBody } of withBody) {
      const { schema, examples = {} } = requestBody!.content['application/json']!;
      expect(Object.keys(examples), operationId).not.toEqual([]);
      for (const { value } of Object.values(examples)) expectValid(schema, value);
    }
  });

  it('exist for each parameter that a request must have, and are valid', () => {
    for (const [, , { operationId, parameters = [] }] of operations()) {
      for (const { name, schema, example } of parameters.filter(({ required }) => required)) {
        expect(example, `PARAMETER_EXAMPLES: ${name} of ${operationId}`).toBeDefined();
        expectValid(schema, example);
      }
    }
  });

  it('exist for each list in an answer and are valid', () => {
    const contents = operations().flatMap(([, , { operationId, responses }]) =>
      Object.values(responses).flatMap(({ content = {} }) =>
        Object.entries(content).map(([mediaType, media]) => ({ operationId, mediaType, ...media })),
      ),
    );
    // An answer that is one named schema has the examples of that schema.
    const inline = contents.filter(({ mediaType, schema }) => mediaType.includes('json') && !('$ref' in schema));
    for (const { schema, examples = {} } of inline) {
      for (const { value } of Object.values(examples)) expectValid(schema, value);
    }
    const without = inline.filter(({ examples }) => examples === undefined);
    expect(without.map(({ operationId }) => operationId).sort()).toEqual([...FREE_FORM].sort());
  });

  it('are accepted as definitions: the front matter of automations, the files of a plan', async () => {
    for (const id of ['createAutomation', 'putAutomation']) {
      for (const { value } of Object.values(BODY_EXAMPLES[id]!)) {
        const { name: _name, prompt: _prompt, ...frontMatter } = value as Record<string, unknown>;
        const validate = findValidator();
        expect([validate(frontMatter), validate.errors]).toEqual([true, null]);
      }
    }
    const payload = BODY_EXAMPLES.planFactory!.webhook!.value as object;
    const answer = await app.inject({ method: 'POST', url: `${F}/plan`, headers, payload });
    expect([answer.statusCode, answer.json().diagnostics]).toEqual([200, []]);
  });

  it('hold nothing that looks like a credential', () => {
    const text = JSON.stringify([COMPONENT_EXAMPLES, BODY_EXAMPLES]);
    const credential = /\b(?:db[ksl]_(?!example\b)|gh[pousr]_|github_pat_|whsec_|sk_live|xox[a-z]-|AKIA)\w*/g;
    expect(text.match(credential)).toBeNull();
  });
});

const SECRET = { value: 'canary-7f3a' };
const ANSWERS: [method: string, path: string, url: string, status: number, payload?: object][] = [
  ['get', '/healthz', '/healthz', 200],
  ['get', '/readyz', '/readyz', 200],
  ['get', '/api/v1/schemas', '/api/v1/schemas', 200],
  ['get', '/api/v1/factories', '/api/v1/factories', 200],
  ['get', '/api/v1/factories/{factory}', F, 200],
  ['get', '/api/v1/factories/{factory}', '/api/v1/factories/nowhere', 404],
  ['post', '/api/v1/factories/{factory}/reconciliations', `${F}/reconciliations`, 202],
  ['post', '/api/v1/factories/{factory}/reconciliations', `${F}/reconciliations?wait=true`, 200],
  ['post', '/api/v1/factories/{factory}/reconciliations', `${F}/reconciliations?wait=perhaps`, 400],
  ['get', '/api/v1/factories/{factory}/reconciliations', `${F}/reconciliations`, 200],
  ['get', '/api/v1/factories/{factory}/reconciliations/{id}', `${F}/reconciliations/${RECONCILIATION_ID}`, 200],
  ['get', '/api/v1/factories/{factory}/webhooks', `${F}/webhooks`, 200],
  ['get', '/api/v1/factories/{factory}/webhooks/{uid}', `${F}/webhooks/${URL_TOKEN_UID}`, 200],
  ['get', '/api/v1/factories/{factory}/webhooks/{uid}', `${F}/webhooks/${DELETED_UID}`, 200],
  ['patch', '/api/v1/factories/{factory}/webhooks/{uid}', `${F}/webhooks/${WEBHOOK_UID}`, 409],
  ['get', '/api/v1/factories/{factory}/webhooks/{uid}/deliveries', `${F}/webhooks/${WEBHOOK_UID}/deliveries`, 200],
  [
    'post',
    '/api/v1/factories/{factory}/webhooks/{uid}/test-deliveries',
    `${F}/webhooks/${WEBHOOK_UID}/test-deliveries`,
    200,
    { payload_base64: 'e30=' },
  ],
  ['get', '/api/v1/factories/{factory}/deliveries', `${F}/deliveries?delivery_id=x`, 200],
  ['get', '/api/v1/factories/{factory}/activity', `${F}/activity`, 200],
  ['get', '/api/v1/factories/{factory}/pull-requests', `${F}/pull-requests`, 200],
  ['get', '/api/v1/factories/{factory}/webhooks/{uid}/payload-keys', `${F}/webhooks/${WEBHOOK_UID}/payload-keys`, 200],
  [
    'post',
    '/api/v1/factories/{factory}/backtests',
    `${F}/backtests`,
    200,
    { automation: 'fix-errors', triggers: [{ provider: 'webhook', filter: { webhooks: ['internal-ci'] } }] },
  ],
  [
    'post',
    '/api/v1/factories/{factory}/backtests',
    `${F}/backtests`,
    422,
    { automation: null, triggers: [{ provider: 'webhook', filter: { payload: { a: [] } } }] },
  ],
  ['get', '/api/v1/deliveries/{id}', `/api/v1/deliveries/${REJECTED_ID}`, 200],
  ['get', '/api/v1/deliveries/{id}/payload', `/api/v1/deliveries/${REJECTED_ID}/payload`, 404],
  ['post', '/api/v1/deliveries/{id}/replay', `/api/v1/deliveries/${DELIVERY_ID}/replay`, 201],
  ['post', '/api/v1/deliveries/{id}/replay', `/api/v1/deliveries/${REJECTED_ID}/replay`, 409],
  ['get', '/api/v1/deliveries/{id}/explain', `/api/v1/deliveries/${DELIVERY_ID}/explain`, 200],
  ['get', '/api/v1/factories/{factory}/automations', `${F}/automations`, 200],
  ['get', '/api/v1/factories/{factory}/automations/{name}', `${F}/automations/fix-errors`, 200],
  [
    'post',
    '/api/v1/factories/{factory}/filters/test',
    `${F}/filters/test`,
    200,
    { filter: { a: { b: ['c'] } }, payload: { a: { b: 'd' } } },
  ],
  ['post', '/api/v1/factories/{factory}/filters/test', `${F}/filters/test`, 422, { filter: { a: [] }, payload: null }],
  ['get', '/api/v1/factories/{factory}/runs', `${F}/runs`, 200],
  ['get', '/api/v1/factories/{factory}/runs', `${F}/runs?limit=0`, 400],
  ['get', '/api/v1/factories/{factory}/replays', `${F}/replays`, 200],
  ['get', '/api/v1/factories/{factory}/replays/preview', `${F}/replays/preview`, 200],
  ['post', '/api/v1/factories/{factory}/replays', `${F}/replays`, 201, { event: 'push', rate: 5 }],
  ['get', '/api/v1/replays/{id}', `/api/v1/replays/${REPLAY_JOB_ID}`, 200],
  ['post', '/api/v1/replays/{id}/cancel', `/api/v1/replays/${REPLAY_JOB_ID}/cancel`, 409],
  ['get', '/api/v1/runs/{id}', `/api/v1/runs/${RUN_ID}`, 200],
  ['get', '/api/v1/runs/{id}/input', `/api/v1/runs/${RUN_ID}/input`, 200],
  ['post', '/api/v1/runs/{id}/heartbeat', `/api/v1/runs/${RUN_ID}/heartbeat`, 200, { fence: 1 }],
  ['post', '/api/v1/runs/{id}/heartbeat', `/api/v1/runs/${RUN_ID}/heartbeat`, 409, { fence: 2 }],
  ['post', '/api/v1/runs/{id}/cancel', `/api/v1/runs/${RUN_ID}/cancel`, 200],
  ['post', '/api/v1/runs/{id}/cancel', `/api/v1/runs/${RUN_ID}/cancel`, 409],
  ['post', '/api/v1/runs/{id}/retry', `/api/v1/runs/${RUN_ID}/retry`, 200],
  ['post', '/api/v1/runs/claim', '/api/v1/runs/claim', 200],
  ['post', '/api/v1/runs/{id}/start', `/api/v1/runs/${RUN_ID}/start`, 200, { fence: 2 }],
  ['post', '/api/v1/runs/{id}/hand-back', `/api/v1/runs/${RUN_ID}/hand-back`, 409, { fence: 2, reason: 'stopping' }],
  ['get', '/api/v1/workers', '/api/v1/workers', 200],
  ['post', '/api/v1/runs/{id}/complete', `/api/v1/runs/${RUN_ID}/complete`, 200, { fence: 2, state: 'succeeded' }],
  ['get', '/api/v1/secrets', '/api/v1/secrets', 200],
  ['put', '/api/v1/secrets/{name}', '/api/v1/secrets/A', 201, SECRET],
  ['put', '/api/v1/secrets/{name}', '/api/v1/secrets/A?mode=update', 200, SECRET],
  ['delete', '/api/v1/secrets/{name}', '/api/v1/secrets/INTERNAL_CI_WEBHOOK_SECRET', 409],
  ['get', '/api/v1/tokens', '/api/v1/tokens', 200],
  ['get', '/api/v1/session', '/api/v1/session', 200],
  ['post', '/api/v1/session', '/api/v1/session', 200, { api_token: token }],
  ['post', '/api/v1/session', '/api/v1/session', 401, { login_token: 'wrong' }],
  ['get', '/api/v1/users', '/api/v1/users', 200],
  ['get', '/api/v1/sign-in', '/api/v1/sign-in', 200],
  ['get', '/auth/oidc/login', '/auth/oidc/login', 404],
  ['get', '/api/v1/audit', '/api/v1/audit', 200],
  ['post', '/api/v1/users', '/api/v1/users', 201, { name: 'alice', role: 'viewer', password: 'correct horse battery' }],
  ['patch', '/api/v1/users/{id}', '/api/v1/users/usr_unknown', 404, { disabled: true }],
  ['post', '/api/v1/session', '/api/v1/session', 200, { username: 'alice', password: 'correct horse battery' }],
  ['post', '/api/v1/session/password', '/api/v1/session/password', 409, { current_password: 'x', new_password: 'y' }],
  ['post', '/api/v1/login-links', '/api/v1/login-links', 201],
  ['post', '/api/v1/tokens', '/api/v1/tokens', 201, { name: 'ci', role: 'viewer', factories: ['payments'] }],
];

describe('an answer is as the document says, no key more and none less', () => {
  const expectDocumented = (answer: LightMyRequestResponse, path: string, method: string, status: number) => {
    expect(answer.statusCode).toBe(status);
    const { content = {} } = document.paths[path]![method]!.responses[String(status)]!;
    const mediaType = String(answer.headers['content-type']).split(';')[0]!;
    expect(Object.keys(content)).toContain(mediaType);
    const validate = validatorFor(content[mediaType]!.schema);
    validate(answer.json());
    expect(validate.errors).toBeNull();
  };

  it.each(ANSWERS)('%s %s: %s is %i', async (method, path, url, status, payload) => {
    const answer = await app.inject({ method: method as 'get', url, headers, ...(payload && { payload }) });
    expectDocumented(answer, path, method, status);
  });

  it('post /api/v1/runs/{id}/cancel of a run that the daemon executes is 202', async () => {
    const services = createSeededServices({}, { executor: new ScriptedExecutor() });
    const scope = { factories: ['payments'] };
    await services.secrets.put('DEPLOY_KEY', new SecretValue('what the automation names'), 'put', { scope });
    const run = await services.queueRun();
    await eventually(async () => (await services.runs.get(run))?.state === 'running');
    const authorization = `Bearer ${services.grant('operator')}`;
    const url = `/api/v1/runs/${run}/cancel`;
    const answer = await createSeededServer(services).inject({ method: 'POST', url, headers: { authorization } });
    expectDocumented(answer, '/api/v1/runs/{id}/cancel', 'post', 202);
  });

  it('would show a key that the schema does not have', () => {
    const validate = validatorFor(document.components.schemas.Health!);
    const [health] = COMPONENT_EXAMPLES.Health as [object];
    expect([validate(health), validate({ ...health, more: 1 }), validate({})]).toEqual([true, false, false]);
  });
});
