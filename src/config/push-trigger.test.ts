import { expect, it } from 'vitest';
import type { FactoryConfig } from './config.ts';
import { listFactorySettings } from './push-trigger.ts';

const SOURCE = { type: 'repository', pushWebhook: 'git-push', branch: 'main' };
const list = (factory: object, name: string, provider: string) =>
  listFactorySettings([{ name: 'payments', ...factory } as FactoryConfig], { factory: 'payments', name }, provider);

it.each([
  ['the push webhook', { source: SOURCE, pullRequests: null }, 'git-push', ['pushWebhook']],
  [
    'checked pull requests',
    { source: SOURCE, pullRequests: { type: 'github' } },
    'git-push',
    ['pushWebhook', 'pullRequests'],
  ],
  ['requests of another host', { source: SOURCE, pullRequests: { type: 'gitlab' } }, 'git-push', ['pushWebhook']],
  ['another webhook', { source: SOURCE, pullRequests: { type: 'github' } }, 'other', []],
  ['a live factory', { source: { type: 'live' }, pullRequests: null }, 'git-push', []],
])('lists the settings that need events for %s', (_, factory, name, settings) => {
  expect(list(factory, name, 'github')).toEqual(settings);
});
