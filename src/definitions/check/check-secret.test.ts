import { describe, expect, it } from 'vitest';
import { declareWebhook } from '../../../test/helpers/declare-webhook.ts';
import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { checkSecretForWebhook } from './check-secret.ts';

function webhook(changes: Partial<WebhookDefinition>): WebhookDefinition {
  return {
    name: 'ci',
    file: 'webhooks/ci.yaml',
    ...declareWebhook(),
    secretNameAt: { line: 3, column: 13 },
    verifyTokenSecretNameAt: null,
    ...changes,
  };
}

const STRONG = 'x'.repeat(16);
const token = webhook({});
const urlToken = webhook({ authMode: 'url_token' });
const github = webhook({ authMode: 'signature', signatureScheme: 'github' });
const [discord, sns, azure] = ['discord', 'sns', 'azure_devops'].map((signatureScheme) =>
  webhook({ authMode: 'signature', signatureScheme }),
) as [WebhookDefinition, WebhookDefinition, WebhookDefinition];
const custom = webhook({
  authMode: 'signature',
  signatureScheme: 'custom',
  signature: { header: 'X-S', key: 'hex' },
});
const standard = webhook({ authMode: 'signature', signatureScheme: 'standard_webhooks' });
const teams = webhook({ authMode: 'signature', signatureScheme: 'teams' });

describe('checkSecretForWebhook', () => {
  it.each([
    ['a token of 16 characters', token, STRONG, []],
    ['a token of 15 characters', token, 'x'.repeat(15), ['warning webhook/weak-secret']],
    ['an empty token', token, '', ['error webhook/empty-secret']],
    ['a token with any characters', token, `${STRONG} /?#%`, []],
    ['a token with a space inside', token, `${STRONG} x`, []],
    ['a token with a space before it', token, ` ${STRONG}`, ['error webhook/unsendable-secret']],
    ['a token with a tab behind it', token, `${STRONG}\t`, ['error webhook/unsendable-secret']],
    ['a token with a line break at its end', token, `${STRONG}\n`, ['error webhook/unsendable-secret']],
    ['a token with a control character inside', token, `${STRONG}\u0000x`, ['error webhook/unsendable-secret']],
    ['a URL token', urlToken, 'aA0-._~aA0-._~aA', []],
    ['a short URL token', urlToken, 'abc', ['warning webhook/weak-secret']],
    ['an empty URL token', urlToken, '', ['error webhook/empty-secret']],
    ['the URL token .', urlToken, '.', ['error webhook/unsafe-secret']],
    ['the URL token ..', urlToken, '..', ['error webhook/unsafe-secret']],
    ['the URL token ...', urlToken, '...', ['warning webhook/weak-secret']],
    ['a signing secret', github, 'short', []],
    ['an empty signing secret', github, '', ['error webhook/empty-secret']],
    ['a Standard Webhooks secret that is not base64', standard, 'whsec_!!!', ['error webhook/unusable-secret']],
    ['a public key where there should be one', discord, 'ab'.repeat(32), []],
    ['a text where there should be a public key', discord, 'hunter2', ['error webhook/unusable-secret']],
    ['a key of a custom scheme', custom, 'ffff', []],
    ['a text where a custom scheme has hex', custom, 'hunter2', ['error webhook/unusable-secret']],
    ['the ARN of a topic', sns, 'arn:aws:sns:eu-central-1:123456789012:x', []],
    ['something else than the ARN of a topic', sns, 'x', ['error webhook/unusable-secret']],
    ['user and password', azure, 'user:password', []],
    ['a password without its user', azure, 'password', ['error webhook/unusable-secret']],
    ['a token of Teams that is not base64', teams, 'not-base64!', ['error webhook/unusable-secret']],
    ['a token of Teams', teams, Buffer.alloc(32, 1).toString('base64'), []],
    ['a Standard Webhooks secret', standard, `whsec_${Buffer.alloc(32, 1).toString('base64')}`, []],
  ] as const)('%s', (_, declared, text, expected) => {
    const found = checkSecretForWebhook(declared, new SecretValue(text));
    expect(found.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(expected);
    for (const { file, line, column, path } of found) {
      expect({ file, line, column, path }).toEqual({
        file: 'webhooks/ci.yaml',
        line: 3,
        column: 13,
        path: 'secretName',
      });
    }
  });

  it.each(['/', '%', '+', '=', ' ', 'ä', '\n', '?', '#', '\\', ':', '@', '!'])(
    'rejects %j in a URL token',
    (character) => {
      const found = checkSecretForWebhook(urlToken, new SecretValue(`${STRONG}${character}`));
      expect(found.map(({ rule }) => rule)).toEqual(['webhook/unsafe-secret']);
    },
  );

  it.each([
    [urlToken, 'hunter2/hunter2/hunter2'],
    [token, 'hunter2'],
    [standard, 'whsec_hunter2!'],
    [standard, 'hunter2'],
  ])('never shows the value', (declared, text) => {
    const found = checkSecretForWebhook(declared, new SecretValue(text));
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(JSON.stringify(found)).toContain('CI_SECRET');
  });
});
