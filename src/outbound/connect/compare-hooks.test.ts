import { expect, it } from 'vitest';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { compareHooks, isInSync, needsApply } from './compare-hooks.ts';
import type { RegisteredHook, WantedHook } from './hook-provider.ts';

const UID = 'wh_0123456789abcdefghjkmnpqrs';
const URL = `https://hooks.example.com/webhooks/w/${UID}`;
const WANTED: WantedHook = {
  url: URL,
  contentType: 'json',
  events: ['issues', 'push'],
  isAll: false,
  scheme: 'github',
  secret: new SecretValue('the secret'),
};
const SAME: RegisteredHook = {
  id: '1',
  url: URL,
  contentType: 'json',
  events: ['push', 'issues'],
  knownEvents: null,
  active: true,
  verifiesTls: true,
  secret: 'set',
};

function compare(hooks: Partial<RegisteredHook>[], more: { wanted?: Partial<WantedHook>; sendSecret?: boolean } = {}) {
  const { hook, fields } = compareHooks(
    hooks.map((one) => ({ ...SAME, ...one })),
    { ...WANTED, ...more.wanted },
    { webhookUid: UID, secretLabel: 'S, version 1', sendSecret: more.sendSecret === true, enableByHand: null },
  );
  const states = Object.fromEntries(fields.map(({ field, state }) => [field, state]));
  return { id: hook?.id ?? null, fields, states, applies: needsApply(fields), inSync: isInSync(fields) };
}

it('finds nothing to do for an equal webhook', () => {
  const { id, states, applies, inSync } = compare([{}]);
  expect([id, applies, inSync]).toEqual(['1', false, true]);
  expect(states).toMatchObject({ url: 'same', events: 'same', secret: 'unknown' });
});

it('creates a webhook if none has the UID, also if one has the same host', () => {
  const { id, states, applies } = compare([{ url: URL.replace(UID, UID.replace('0', '1')) }]);
  expect([id, applies, states.url, states.secret]).toEqual([null, true, 'change', 'change']);
});

it.each([
  ['URL', { url: `http://old/webhooks/w/${UID}` }, 'url'],
  ['content type', { contentType: 'form' }, 'content_type'],
  ['additional event', { events: ['issues', 'push', 'fork'] }, 'events'],
  ['missing event', { events: ['push'] }, 'events'],
  ['inactive state', { active: false }, 'active'],
  ['missing verification of TLS', { verifiesTls: false }, 'tls_verification'],
] as const)('changes another %s, and sends the secret with it', (_, hook, field) => {
  const { states, applies, inSync } = compare([hook as Partial<RegisteredHook>]);
  const changed = Object.entries(states).filter(([, state]) => state === 'change');
  expect([changed, states.secret, applies, inSync]).toEqual([[[field, 'change']], 'send', true, false]);
});

it.each([
  ['missing', 'missing', 'change', false],
  ['different', new SecretValue('another'), 'change', false],
  ['the same', new SecretValue('the secret'), 'same', true],
  ['not reported', 'unknown', 'unknown', true],
] as const)('handles a secret that is %s', (_, secret, state, inSync) => {
  const compared = compare([{ secret }]);
  expect([compared.states.secret, compared.inSync]).toEqual([state, inSync]);
});

it('sends the secret on request, which is no drift', () => {
  const { states, applies, inSync } = compare([{}], { sendSecret: true });
  expect([states.secret, applies, inSync]).toEqual(['send', true, true]);
});

it('prefers the webhook with the wanted URL, and reports the others', () => {
  const { id, fields, inSync } = compare([{ id: '7', url: `http://old/webhooks/w/${UID}` }, { id: '8' }]);
  expect([id, inSync]).toEqual(['8', false]);
  expect(fields.at(-1)).toMatchObject({ field: 'other_webhooks', registered: ['7'], state: 'manual' });
});

it('compares all events with those that the provider knows', () => {
  const knownEvents = ['push', 'issues'];
  expect(
    compare([{ knownEvents }], { wanted: { events: ['issues', 'push', 'vulnerability'], isAll: true } }).inSync,
  ).toBe(true);
  expect(compare([{ knownEvents }], { wanted: { events: ['issues', 'push', 'vulnerability'] } }).inSync).toBe(false);
});

it('shows no credential of a registered URL', () => {
  const [url] = compare([{ url: `https://ann:pw@old/webhooks/w/${UID}/token-in-path?key=value` }]).fields;
  expect(url!.registered).toEqual([`https://old/webhooks/w/${UID}/{token}?{query}`]);
});
