import { describe, expect, it } from 'vitest';
import { declareWebhook } from '../../test/helpers/declare-webhook.ts';
import type { AutomationDefinition, WebhookDefinition } from '../core/definition.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { LintSettings } from '../core/rules.ts';
import { SecretValue } from '../core/secret-value.ts';
import { resolveSecrets } from './resolve-secrets.ts';

/** Returns these values, all with version 3. The real store would reject an empty value. */
function secretsOf(values: Record<string, string>): SecretStore {
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
        usedBy: [],
        listedBy: [],
        notify: [],
      })),
    resolve: async (name) =>
      Object.hasOwn(values, name) ? { version: 3, value: new SecretValue(values[name]!) } : null,
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
    places: new Map(),
  };
}

const LONG = 'long-enough-to-be-strong';
const rulesOf = ({ diagnostics }: { diagnostics: { rule: string }[] }) => diagnostics.map(({ rule }) => rule);

describe('resolveSecrets', () => {
  it('answers with version and value by webhook', async () => {
    const resolved = await resolveSecrets(
      { lint: {}, webhooks: [webhook('a')], automations: [] },
      secretsOf({ S: LONG }),
    );
    expect(resolved).toMatchObject({ problem: null, diagnostics: [] });
    const secret = resolved.byWebhook.get('a');
    expect([secret?.version, secret?.value?.reveal()]).toEqual([3, LONG]);
  });

  it('reports every missing secret with its place', async () => {
    const webhooks = [webhook('a'), webhook('b', { secretName: 'T' })];
    const resolved = await resolveSecrets({ lint: {}, webhooks, automations: [] }, secretsOf({}));
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
      'a value that is no key of its scheme',
      { authMode: 'signature', signatureScheme: 'standard_webhooks' },
      'whsec_!!!',
      'webhook/unusable-secret',
    ],
  ])('finds %s unsuitable', async (_title, change, value, rule) => {
    const webhooks = [webhook('a', change)];
    const resolved = await resolveSecrets({ lint: {}, webhooks, automations: [] }, secretsOf({ S: value }));
    expect([resolved.problem, rulesOf(resolved)]).toEqual(['unsuitable', [rule]]);
  });

  it('calls a definition unsuitable where one secret is and another is missing, and reports both', async () => {
    const webhooks = [webhook('a', { secretName: 'T' }), webhook('b')];
    const resolved = await resolveSecrets({ lint: {}, webhooks, automations: [] }, secretsOf({ S: '' }));
    expect(resolved).toMatchObject({ problem: 'unsuitable' });
    expect(rulesOf(resolved)).toEqual(['secret/missing', 'webhook/empty-secret']);
  });

  it('warns of a weak value, and of a missing secret that only runs use, and continues', async () => {
    const definition = { lint: {}, webhooks: [webhook('a')], automations: [automation(['S', 'GONE'])] };
    const resolved = await resolveSecrets(definition, secretsOf({ S: 'short' }));
    expect([resolved.problem, rulesOf(resolved)]).toEqual([
      null,
      ['webhook/weak-secret', 'automation/missing-run-secret'],
    ]);
  });

  it('omits a warning, or fails for it, if the factory configures it', async () => {
    const webhooks = [webhook('a')];
    const automations = [automation(['GONE'])];
    const resolve = (lint: LintSettings) => resolveSecrets({ lint, webhooks, automations }, secretsOf({ S: 'short' }));
    const quiet = await resolve({ 'webhook/weak-secret': 'off', 'automation/missing-run-secret': 'off' });
    expect([quiet.problem, quiet.diagnostics]).toEqual([null, []]);
    expect(await resolve({ 'webhook/weak-secret': 'error' })).toMatchObject({ problem: 'unsuitable' });
    expect(await resolve({ 'automation/missing-run-secret': 'error' })).toMatchObject({ problem: 'missing' });
  });

  it('ignores a list of secrets that is not a list', async () => {
    const definition = { lint: {}, webhooks: [], automations: [automation('DEPLOY_KEY'), automation([1, null])] };
    expect(await resolveSecrets(definition, secretsOf({}))).toMatchObject({ problem: null, diagnostics: [] });
  });

  it('reports nothing about a value that it may not check, but resolves it', async () => {
    const definition = { lint: {}, webhooks: [webhook('a'), webhook('b', { secretName: 'T' })], automations: [] };
    const resolved = await resolveSecrets(definition, secretsOf({ S: 'short', T: 'short' }), {
      mayCheck: (name) => name === 'T',
    });
    expect(resolved.diagnostics.map(({ rule, file }) => [rule, file])).toEqual([
      ['webhook/weak-secret', 'webhooks/b.yaml'],
    ]);
    expect([...resolved.byWebhook.keys()]).toEqual(['a', 'b']);
  });
});
