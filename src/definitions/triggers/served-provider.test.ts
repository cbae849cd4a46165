import { describe, expect, it } from 'vitest';
import { SERVES } from '../../domain/resources/webhook.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';
import { servedProvider } from './served-provider.ts';

describe('the provider that a webhook serves', () => {
  it.each([
    [null, null, null],
    [null, 'github', 'github'],
    [null, 'gitlab', 'gitlab'],
    [null, 'gitlab_signing', 'gitlab'],
    [null, 'linear', 'linear'],
    [null, 'jira', 'jira'],
    [null, 'slack', 'slack'],
    [null, 'stripe', null],
    [null, 'custom', null],
    ['linear', 'custom', 'linear'],
    ['azure_devops', null, 'azure_devops'],
    ['gitlab', 'github', 'gitlab'],
    ['none', 'github', null],
    [null, 'teams', 'teams'],
    [null, 'azure_devops', 'azure_devops'],
  ] as const)('is, with serves %s and the scheme %s, %s', (serves, signatureScheme, provider) => {
    expect(servedProvider({ serves, signatureScheme })).toBe(provider);
  });

  it('can be every provider that has triggers', () => {
    const aliases = ['azure-devops'];
    expect([...TRIGGER_PROVIDERS.keys(), 'none'].filter((name) => !aliases.includes(name))).toEqual([...SERVES]);
  });
});
