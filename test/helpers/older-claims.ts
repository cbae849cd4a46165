import { createHash } from 'node:crypto';
import type { RecordOutcome } from '../../src/domain/resources/delivery.ts';
import { buildOffer } from './build-offer.ts';

export const hashOf = (body: string) => createHash('sha256').update(body).digest('hex');

const keyOf = (body: string) => `sha256:${hashOf(body)}`;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Webhooks of a version without second keys, by number. */
export const OLDER_WEBHOOKS = [
  { ref: 1, scheme: 'linear' },
  { ref: 2, scheme: 'github' },
  { ref: 3, scheme: 'stripe' },
];

/** The deliveries that it accepted: their body, their ID and its source. */
export const OLDER_DELIVERIES = [
  { seq: 1, webhook: 1, source: 1, key: 'one', body: '{"n":1}', agoMs: MINUTE_MS },
  { seq: 2, webhook: 1, source: 1, key: 'copy', body: '{"n":1}', agoMs: MINUTE_MS },
  { seq: 3, webhook: 1, source: 1, key: 'old', body: '{"n":2}', agoMs: 5 * DAY_MS },
  { seq: 4, webhook: 2, source: 1, key: 'one', body: '{"n":1}', agoMs: MINUTE_MS },
  { seq: 5, webhook: 3, source: 3, key: keyOf('{"n":1}'), body: '{"n":1}', agoMs: MINUTE_MS },
  { seq: 6, webhook: 3, source: 2, key: 'relayed', body: '{"n":1}', agoMs: MINUTE_MS },
  { seq: 7, webhook: 3, source: 2, key: 'relayed too', body: '{"n":3}', agoMs: MINUTE_MS },
];

/** Deliveries after the upgrade, and what they must be. */
export const REPEATED: { offer: ReturnType<typeof buildOffer>; expected: RecordOutcome }[] = [
  [1, 'provider', 'one', '{"n":1}', 'dlv_1'],
  [1, 'provider', 'changed', '{"n":1}', 'dlv_1'],
  [1, 'provider', 'later than any retry', '{"n":2}', null],
  [2, 'provider', 'another', '{"n":1}', null],
  [3, 'payload', 'evt_1', '{"n":1}', 'dlv_5'],
  [3, 'payload', 'evt_3', '{"n":3}', 'dlv_7'],
  [3, 'payload', 'evt_4', '{"n":4}', null],
].map(([webhook, source, key, body, of]) => {
  const bodyKey = webhook === 2 ? undefined : keyOf(body as string);
  const offer = buildOffer({ webhook, source, key, body, bodyKey } as Parameters<typeof buildOffer>[0]);
  const expected = of === null ? { label: 'Accepted' } : { label: 'Duplicate', of, reason: 'same_identity' };
  return { offer, expected: expected as RecordOutcome };
});
