import { describe, expect, it } from 'vitest';
import { declareWebhook } from '../../test/helpers/declare-webhook.ts';
import { NO_POLICY } from '../../test/helpers/no-policy.ts';
import { NO_VERSION } from '../domain/applies/applied.ts';
import type { AutomationDefinition, WebhookDefinition } from '../domain/definitions/definition.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { AppliedWebhook } from '../domain/resources/webhook.ts';
import type { LintSettings } from '../domain/rules.ts';
import { isInScope, type SecretScope } from '../domain/secrets/secret-scope.ts';
import { SecretValue } from '../domain/secrets/secret-value.ts';
import { MISSING_RUN_SECRET, resolveSecrets as resolveFor } from './resolve-secrets.ts';

type Given = Parameters<typeof resolveFor> extends [string, ...infer Others] ? Others : never;

const resolveSecrets = (...given: Given) => resolveFor('payments', ...given);

const ALL: SecretScope = { webhook: null, run: null };
const NOBODY: SecretScope = { webhook: [], run: [] };

/** Returns these values, all with version 3. The real store would reject an empty value. */
function secretsOf(values: Record<string, string>, scopes: Record<string, SecretScope> = {}): SecretStore {
  const unused = async () => {
    throw new Error('not used');
  };
  return {
    put: unused,
    delete: unused,
    find: unused,
    open: unused,
    list: async () =>
      Object.keys(values).map((name) => ({
        name,
        version: 3,
        createdAt: 1,
        updatedAt: 1,
        scope: ALL,
        usedBy: [],
        listedBy: [],
        notify: [],
      })),
    resolve: async (name, user) => {
      if (!Object.hasOwn(values, name)) return { outcome: 'missing' };
      if (user !== 'configuration' && !isInScope(scopes[name] ?? ALL, user)) return { outcome: 'outside_scope' };
      return { outcome: 'found', version: 3, value: new SecretValue(values[name]!) };
    },
    scopes: async (names) =>
      new Map(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, scopes[name] ?? ALL])),
  };
}

function webhook(name: string, change: Partial<WebhookDefinition> = {}): WebhookDefinition {
  return {
    name,
    file: `webhooks/${name}.yaml`,
    ...declareWebhook({ secretName: 'S' }),
    secretNameAt: { line: 2, column: 13 },
    verifyTokenSecretNameAt: null,
    ...change,
  };
}

function automation(secrets: unknown): AutomationDefinition {
  return {
    name: 'x',
    file: 'automations/x/automation.md',
    description: null,
    enabled: true,
    agent: null,
    triggers: [],
    prompt: 'p',
    overrides: { secrets: secrets as string[] },
    ...NO_POLICY,
    places: new Map(),
  };
}

const LONG = 'long-enough-to-be-strong';
const rulesOf = ({ diagnostics }: { diagnostics: { rule: string }[] }) => diagnostics.map(({ rule }) => rule);

describe('resolveSecrets', () => {
  it('answers with version and value by webhook', async () => {
    const resolved = await resolveSecrets(
      { lint: {}, repositories: null, webhooks: [webhook('a')], automations: [] },
      secretsOf({ S: LONG }),
    );
    expect(resolved).toMatchObject({ problem: null, diagnostics: [] });
    const secret = resolved.byWebhook.get('a');
    expect([secret?.version, secret?.value?.reveal()]).toEqual([3, LONG]);
  });

  it('reports every missing secret with its place', async () => {
    const webhooks = [webhook('a'), webhook('b', { secretName: 'T' })];
    const resolved = await resolveSecrets({ lint: {}, repositories: null, webhooks, automations: [] }, secretsOf({}));
    expect(resolved).toMatchObject({ problem: 'missing' });
    expect(resolved.diagnostics.map(({ file, line, column, path }) => [file, line, column, path])).toEqual([
      ['webhooks/a.yaml', 2, 13, 'secretName'],
      ['webhooks/b.yaml', 2, 13, 'secretName'],
    ]);
  });

  it.each<[string, Partial<WebhookDefinition>, string, string]>([
    ['an empty value', {}, '', 'webhook/empty-secret'],
    ['an unsafe value in a URL', { authMode: 'url_token' }, 'has a / in it and is long', 'webhook/unsafe-secret'],
    [
      'a value that is not a key of its scheme',
      { authMode: 'signature', signatureScheme: 'standard_webhooks' },
      'whsec_!!!',
      'webhook/unusable-secret',
    ],
  ])('finds %s unsuitable', async (_title, change, value, rule) => {
    const webhooks = [webhook('a', change)];
    const resolved = await resolveSecrets(
      { lint: {}, repositories: null, webhooks, automations: [] },
      secretsOf({ S: value }),
    );
    expect([resolved.problem, rulesOf(resolved)]).toEqual(['unsuitable', [rule]]);
  });

  it('calls a definition unsuitable where one secret is and another is missing, and reports both', async () => {
    const webhooks = [webhook('a', { secretName: 'T' }), webhook('b')];
    const resolved = await resolveSecrets(
      { lint: {}, repositories: null, webhooks, automations: [] },
      secretsOf({ S: '' }),
    );
    expect(resolved).toMatchObject({ problem: 'unsuitable' });
    expect(rulesOf(resolved)).toEqual(['secret/missing', 'webhook/empty-secret']);
  });

  it('warns of a weak value, and of a missing secret that only runs use, and continues', async () => {
    const definition = {
      lint: {},
      repositories: null,
      webhooks: [webhook('a')],
      automations: [automation(['S', 'GONE'])],
    };
    const resolved = await resolveSecrets(definition, secretsOf({ S: 'short' }));
    expect([resolved.problem, rulesOf(resolved)]).toEqual([
      null,
      ['webhook/weak-secret', 'automation/missing-run-secret'],
    ]);
  });

  it('omits a warning, or fails for it, if the factory configures it', async () => {
    const webhooks = [webhook('a')];
    const automations = [automation(['GONE'])];
    const resolve = (lint: LintSettings) =>
      resolveSecrets({ lint, repositories: null, webhooks, automations }, secretsOf({ S: 'short' }));
    const quiet = await resolve({ 'webhook/weak-secret': 'off', 'automation/missing-run-secret': 'off' });
    expect([quiet.problem, quiet.diagnostics]).toEqual([null, []]);
    expect(await resolve({ 'webhook/weak-secret': 'error' })).toMatchObject({ problem: 'unsuitable' });
    expect(await resolve({ 'automation/missing-run-secret': 'error' })).toMatchObject({ problem: 'missing' });
  });

  it('ignores a list of secrets that is not a list', async () => {
    const definition = {
      lint: {},
      repositories: null,
      webhooks: [],
      automations: [automation('DEPLOY_KEY'), automation([1, null])],
    };
    expect(await resolveSecrets(definition, secretsOf({}))).toMatchObject({ problem: null, diagnostics: [] });
  });

  it('reports nothing about a value that it may not check, but resolves it', async () => {
    const definition = {
      lint: {},
      repositories: null,
      webhooks: [webhook('a'), webhook('b', { secretName: 'T' })],
      automations: [],
    };
    const resolved = await resolveSecrets(definition, secretsOf({ S: 'short', T: 'short' }), {
      mayCheck: (name) => name === 'T',
    });
    expect(resolved.diagnostics.map(({ rule, file }) => [rule, file])).toEqual([
      ['webhook/weak-secret', 'webhooks/b.yaml'],
    ]);
    expect([...resolved.byWebhook.keys()]).toEqual(['a', 'b']);
  });

  it('reports a secret outside its scope exactly as one that does not exist, with its place and the commands', async () => {
    const webhooks = [
      webhook('a'),
      webhook('b', { verifyTokenSecretName: 'V', verifyTokenSecretNameAt: { line: 4, column: 24 } }),
      webhook('c', { secretName: 'T' }),
    ];
    const definition = { lint: {}, repositories: null, webhooks, automations: [automation(['S', 'V', 'GONE'])] };
    const values = { S: LONG, T: LONG, V: LONG };
    const excluded = await resolveSecrets(
      definition,
      secretsOf(values, { S: NOBODY, T: { webhook: [], run: null }, V: { webhook: ['other'], run: ['other'] } }),
    );
    expect(excluded).toEqual(await resolveSecrets(definition, secretsOf({})));
    expect(excluded.diagnostics.map(({ rule, file, line, path }) => [rule, file, line, path])).toEqual([
      ['secret/missing', 'webhooks/a.yaml', 2, 'secretName'],
      ['secret/missing', 'webhooks/b.yaml', 2, 'secretName'],
      ['secret/missing', 'webhooks/b.yaml', 4, 'verifyTokenSecretName'],
      ['secret/missing', 'webhooks/c.yaml', 2, 'secretName'],
      ...[0, 1, 2].map((index) => [MISSING_RUN_SECRET, 'automations/x/automation.md', 1, `secrets[${index}]`]),
    ]);
    expect(excluded.diagnostics[0]).toMatchObject({
      message: 'there is no team secret named S that webhooks of the factory payments may use',
      hint: expect.stringMatching(
        /secret create S --factory payments;.* secret update S --factory payments --use webhook --add/,
      ),
    });
    expect(JSON.stringify(excluded)).not.toContain('other');
  });

  it('continues to hide the secret of another factory while a webhook waits for an issued one of this name', async () => {
    const waiting = webhook('a', { enabled: false, authMode: 'signature', signatureScheme: 'stripe' });
    const definition = { lint: {}, repositories: null, webhooks: [waiting], automations: [] };
    const excluding = secretsOf({ S: LONG }, { S: NOBODY });
    const pins = { name: 'a', secretVersion: NO_VERSION, verifyTokenSecretVersion: null } as AppliedWebhook;
    for (const kept of [new Map(), new Map([['a', pins]])]) {
      const resolved = await resolveSecrets(definition, excluding, { kept });
      expect(resolved).toEqual(await resolveSecrets(definition, secretsOf({}), { kept }));
      expect(resolved).toMatchObject({ problem: null, diagnostics: [] });
    }
  });

  it('rejects a webhook that keeps its version too, because an edit of something else must not keep the use', async () => {
    const secrets = secretsOf({ S: LONG }, { S: { webhook: ['other'], run: [] } });
    const kept = new Map([['a', { name: 'a', secretVersion: 3, verifyTokenSecretVersion: null } as AppliedWebhook]]);
    const resolved = await resolveSecrets(
      { lint: {}, repositories: null, webhooks: [webhook('a')], automations: [] },
      secrets,
      { kept },
    );
    expect([resolved.problem, rulesOf(resolved)]).toEqual(['missing', ['secret/missing']]);
    expect(resolved.missingForWebhooks).toEqual([{ name: 'S', webhook: 'a' }]);
  });
});
