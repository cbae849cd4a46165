import { describe, expect, it } from 'vitest';
import type { AutomationTrigger, Delivery, Webhook } from '../../client/api-types.ts';
import type { Json } from '../../domain/json.ts';
import { renderSample } from './render-sample.ts';

function render(
  delivery: Partial<Delivery>,
  webhook: Partial<Webhook>,
  body: Json = 1,
  triggers: readonly AutomationTrigger[] = [],
) {
  const { text, isTooLarge } = renderSample({
    delivery: { id: 'dlv_1', received_at: '2026-01-01T00:00:00.000Z', ...delivery } as Delivery,
    webhook: {
      uid: 'w-1',
      delivery_id_header: null,
      signature_scheme: null,
      signature: null,
      serves: null,
      ...webhook,
    } as Webhook,
    triggers,
    explanation: {
      delivery: 'dlv_1',
      decisions: [
        { automation: 'a', outcome: 'started', run: 'run_1', path: null, expected: null, actual: null, message: '' },
        { automation: 'b', outcome: 'filtered', run: null, path: 'x', expected: [1], actual: 2, message: '' },
      ],
      not_stored: { filtered: 0, disabled: 0, filter_error: 0 },
      next_cursor: null,
    },
    body,
  });
  return { sample: JSON.parse(text), text, isTooLarge };
}

describe('renderSample', () => {
  it('lists the automations that the delivery started', () => {
    const { sample } = render({ delivery_id: 'sha256:x', delivery_id_source: 'body_hash' }, {}, { a: [null] });
    expect(sample).toEqual({
      description: 'dlv_1, received 2026-01-01T00:00:00.000Z',
      body: { a: [null] },
      starts: ['a'],
    });
  });

  it.each([
    ['header', { delivery_id_header: 'X-Event-Id' }, { 'X-Event-Id': 'e-1' }],
    ['service_header', {}, { 'X-Service-Delivery-Id': 'e-1' }],
    ['provider', { signature_scheme: 'github' }, { 'X-GitHub-Delivery': 'e-1' }],
    ['provider', { signature_scheme: 'standard_webhooks' }, { 'webhook-id': 'e-1' }],
    // The scheme was changed since, or names its deliveries in the body.
    ['provider', { signature_scheme: null }, undefined],
    ['provider', { signature_scheme: 'mailgun' }, undefined],
    ['provider', { signature_scheme: 'sns' }, undefined],
    ['header', { delivery_id_header: 'Authorization' }, undefined],
  ] as const)('names the header behind the identity %s of %j', (source, webhook, headers) => {
    expect(render({ delivery_id: 'e-1', delivery_id_source: source }, webhook).sample.headers).toEqual(headers);
  });

  it('omits a header if only its hash is stored', () => {
    const delivery = { delivery_id: `sha256:${'0'.repeat(64)}`, delivery_id_source: 'service_header' } as const;
    expect(render(delivery, {}).sample.headers).toBeUndefined();
  });

  const recorded = {
    'user-agent': 'GitHub-Hookshot/1',
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-stage': 'test',
    authorization: 'Bearer canary',
  };
  const testing = (headers: { [name: string]: string[] }, listensTo = 'w-1') =>
    [{ provider: 'webhook', filter: { headers, payload: null }, listens_to: [listensTo] }] as AutomationTrigger[];

  it.each<[string, Partial<Webhook>, AutomationTrigger[], { [name: string]: string } | undefined]>([
    ['names the event of its provider', { signature_scheme: 'github' }, [], { 'X-GitHub-Event': 'issues' }],
    ['names the event of the provider that it serves', { serves: 'github' }, [], { 'X-GitHub-Event': 'issues' }],
    ['serves no provider', { signature_scheme: 'github', serves: 'none' }, [], undefined],
    ['has a filter of headers', {}, testing({ 'X-Stage': ['test'] }), { 'X-Stage': 'test' }],
    [
      'has a filter of the header that names the event',
      { signature_scheme: 'github' },
      testing({ 'x-github-event': ['issues'], 'User-Agent': ['a'] }),
      { 'X-GitHub-Event': 'issues', 'User-Agent': 'GitHub-Hookshot/1' },
    ],
    ['has a filter of a header that was not recorded', {}, testing({ 'X-Other': ['1'] }), undefined],
    ['has a filter of a credential', {}, testing({ Authorization: ['Bearer canary'] }), undefined],
    ['does not have the filter of another webhook', {}, testing({ 'X-Stage': ['test'] }, 'w-2'), undefined],
  ])('keeps the headers that triggers test, of a webhook that %s', (_, webhook, triggers, headers) => {
    expect(render({ headers: recorded }, webhook, 1, triggers).sample.headers).toEqual(headers);
  });

  it('writes a large sample without indentation, and reports one that is still too large', () => {
    const numbers = Array.from({ length: 60_000 }, () => 1);
    const dense = render({}, {}, numbers);
    expect([dense.text.split('\n').length, dense.isTooLarge]).toEqual([2, false]);
    expect(render({}, {}, 'x'.repeat(262_144)).isTooLarge).toBe(true);
  });
});
