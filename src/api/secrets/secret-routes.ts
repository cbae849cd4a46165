import type { FastifyInstance } from 'fastify';
import { describeUnfit } from '../../definitions/check/check-secret.ts';
import { AppError } from '../../domain/errors.ts';
import type { DeliveryDiagnosis } from '../../domain/ports/delivery-control.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import { type ScopeChange, SECRET_USES } from '../../domain/secrets/secret-scope.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { adviseScope, describeScope, isUnusable } from '../../domain/words/credentials.ts';
import { SECRET_NAME_PATTERN } from '../../domain/words/names.ts';
import type { UploadedRequest } from '../../ingress/diagnosis/diagnose-upload.ts';
import { presentSecret } from '../auth/present-access.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import { type PageQuery, pageOf, presentPage, querySchema, SHORT_LIST_QUERY } from '../server/page-query.ts';
import { principalOf } from '../server/reach.ts';
import { requireKnownFactories } from '../users/require-known.ts';

export interface SecretRouteParts {
  secrets: SecretStore;
  inventory: Pick<InventoryReader, 'factories' | 'webhooks'>;
  /** Tries the usual mistakes on a request with a stored secret. `too_many_requests` beyond its rate. */
  diagnoseUpload(request: UploadedRequest): Promise<DeliveryDiagnosis>;
}

const tags = ['Secrets'];
/** The longest value that a body may hold. */
export const MAX_SECRET_CHARACTERS = 65_536;

interface SecretBody extends ScopeChange {
  value?: string;
}

const secretBodySchema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    value: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_SECRET_CHARACTERS,
      description: 'Never returned. If omitted, only the scope of an existing secret changes.',
    },
    factories: {
      type: ['array', 'null'],
      uniqueItems: true,
      items: { type: 'string' },
      description:
        'Factories that may use it; `null` for all. If omitted, an existing secret keeps its factories. A new one gets the only factory of the daemon, or else no factory.',
    },
    uses: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...SECRET_USES] },
      description:
        'What the factories may use it for. If omitted, an existing secret keeps its uses. A new one gets both, and so does `add`.',
    },
    add: { type: 'boolean', description: 'Adds `factories` and `uses` to the scope instead of replacing it.' },
  },
};

const nameSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', pattern: SECRET_NAME_PATTERN.source } },
};

/** Team secrets: put, listed by name, deleted. No route at any role returns a value (threat model S3). */
export function secretsPlugin(app: FastifyInstance, parts: SecretRouteParts): void {
  const config = { access: requireRole('owner', 'team') };

  app.get<{ Querystring: PageQuery }>(
    '/secrets',
    {
      config,
      schema: {
        tags,
        summary: 'List secrets, without values',
        querystring: SHORT_LIST_QUERY,
        response: { 200: listOf('Secret') },
      },
    },
    async (request) =>
      presentPage(
        pageOf(await parts.secrets.list(), request.query, ({ name }) => name),
        presentSecret,
      ),
  );

  registerStore(app, parts);
  registerDiagnosis(app, parts);

  app.delete<{ Params: { name: string }; Querystring: { force?: boolean } }>(
    '/secrets/:name',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags,
        summary: 'Delete a secret',
        description:
          'Rejected while a webhook, an automation, a target of `notify` or a target of alerts uses it, unless `force=true`. The webhook keeps its pinned value until its next apply, runs of the automation fail, and the target gets no notifications.',
        querystring: querySchema({ force: { type: 'boolean', default: false } }),
        response: { 204: { type: 'null', description: 'Deleted.' }, 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { force = false } = request.query;
      await parts.secrets.delete(request.params.name, { force, by: principalOf(request).name });
      return reply.code(204).send();
    },
  );
}

function registerStore(app: FastifyInstance, parts: SecretRouteParts): void {
  app.put<{
    Params: { name: string };
    Querystring: { mode?: 'create' | 'update'; force?: boolean };
    Body: SecretBody;
  }>(
    '/secrets/:name',
    {
      config: { access: requireRole('owner', 'team'), changes: 'stored' },
      schema: {
        tags,
        summary: 'Store a secret',
        description:
          'Creates or replaces the secret, or changes its scope. With `mode=create` an existing secret returns `conflict`; with `mode=update` a missing one returns `not_found`. A scope that excludes a factory that uses the secret returns `secret_in_use`, unless `force=true`.',
        params: nameSchema,
        querystring: querySchema({
          mode: { type: 'string', enum: ['create', 'update'] },
          force: { type: 'boolean' },
        }),
        body: secretBodySchema,
        response: { 200: refTo('SecretStored'), 201: refTo('SecretStored'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const { mode = 'put', force = false } = request.query;
      const { value, ...change } = request.body;
      await requireKnownFactories(parts.inventory, change.factories ?? []);
      const { created, version, scope } = await parts.secrets.put(
        name,
        value === undefined ? null : new SecretValue(value),
        mode,
        { by: principalOf(request).name, force, ...(Object.keys(change).length === 0 ? {} : { scope: change }) },
      );
      request.auditResult = { scope: describeScope(scope) };
      if (created) void reply.code(201).header('location', locate('secrets', name));
      const warning = isUnusable(scope) ? adviseScope(name) : await warnOfUnfit(parts, name, value);
      return reply.send({ name, version, created, scope, warning });
    },
  );
}

interface UploadBody {
  scheme?: string;
  headers: Record<string, string>;
  body_base64: string;
  received_at?: string;
  url?: string;
}

/** More than any real request has; the whole is bounded by the size of a body of this API. */
const MAX_FIELDS = 200;

const uploadSchema = {
  type: 'object',
  required: ['headers', 'body_base64'],
  additionalProperties: false,
  properties: {
    scheme: {
      type: 'string',
      maxLength: 100,
      description:
        'A signature scheme, or `token`. If omitted, the scheme of the webhooks that name the secret. `custom` uses their `signature` block.',
    },
    headers: {
      type: 'object',
      maxProperties: MAX_FIELDS,
      additionalProperties: { type: 'string', pattern: '^[\\u0000-\\u00ff]*$' },
      description: 'Header fields, one character for each byte of a value.',
    },
    body_base64: {
      type: 'string',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      description: 'The exact bytes of the body in base64.',
    },
    received_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$',
      description: 'When it arrived (RFC 3339). If omitted, timestamps are not checked.',
    },
    url: {
      type: 'string',
      maxLength: 2048,
      pattern: '^https?://',
      description: 'The URL that the sender uses. The default is the URL of the webhook, if only one names the secret.',
    },
  },
};

/** Needs the same role as the secrets: a caller who may test one by its name may also replace it. */
function registerDiagnosis(app: FastifyInstance, parts: SecretRouteParts): void {
  app.post<{ Params: { name: string }; Body: UploadBody }>(
    '/secrets/:name/diagnoses',
    {
      config: { access: requireRole('owner', 'team') },
      schema: {
        tags,
        summary: 'Find the common mistake behind a request that does not verify with a secret',
        description:
          'Tests every stored version of the secret. The response contains one sentence, never the secret or a signature. A secret can be tested `limits.failedAuthPerMinute` times per minute (`too_many_requests`).',
        params: nameSchema,
        body: uploadSchema,
        response: { 200: refTo('Diagnosis'), 409: refTo('Problem'), 429: refTo('Problem') },
      },
    },
    async (request) => {
      const { scheme = null, headers, body_base64: body, received_at: receivedAt, url = null } = request.body;
      const { mistake, sentence, tried } = await parts.diagnoseUpload({
        secretName: request.params.name,
        scheme,
        url,
        rawHeaders: Object.entries(headers).flat(),
        body: new Uint8Array(Buffer.from(body, 'base64')),
        receivedAt: receivedAt === undefined ? null : readInstant(receivedAt),
      });
      return { mistake, sentence, tried };
    },
  );
}

/** The pattern lets a thirteenth month through. */
function readInstant(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new AppError('bad_request', '"received_at" is not a valid time.');
  return ms;
}

/** A value that the next apply of a webhook rejects. Until then, the webhook keeps the version that it has. */
async function warnOfUnfit(
  { secrets, inventory }: Pick<SecretRouteParts, 'secrets' | 'inventory'>,
  name: string,
  value: string | undefined,
): Promise<string | null> {
  if (value === undefined) return null;
  const factories = new Set((await secrets.find(name))?.usedBy.map(({ factory }) => factory));
  for (const factory of factories) {
    for (const webhook of await inventory.webhooks(factory)) {
      const unfit = webhook.secretName === name ? describeUnfit(webhook, value) : null;
      if (unfit !== null)
        return `The next apply of the webhook ${webhook.name} will fail. ${unfit.message} ${unfit.hint}`;
    }
  }
  return null;
}
