import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/helpers/any-text.ts';
import { isSignedChallenge } from './challenges.ts';
import type { HandshakeRequest, HandshakeRow } from './handshake.ts';
import { HANDSHAKES } from './handshakes.ts';

const SECRET = 'dock-Lm3_gangway:beacon~17';
const KEYS = { secretText: SECRET, isVerifyToken: () => true };

/** How an unauthenticated sender passes any text to each row that signs. */
const OFFERS: Record<string, (challenge: string) => HandshakeRequest> = {
  'x crc': (challenge) => probe({ query: new URLSearchParams({ crc_token: challenge }).toString() }),
  'zoom endpoint.url_validation': (plainToken) =>
    probe({ payload: { event: 'endpoint.url_validation', event_ts: 1, payload: { plainToken } } }),
};

function probe(more: Partial<HandshakeRequest>): HandshakeRequest {
  const headers = { get: () => undefined };
  return { query: '', headers, body: Buffer.alloc(0), payload: undefined, deliveriesPerMinute: 60, ...more };
}

/** The signed content of a delivery: the body, or a prefix and the body. */
const bodies = fc.oneof(
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.constantFrom('true', 'false', 'null', '0', '-0', '1e9', '1E9', '-1e-9', '""', '[]', '{}', ' 1', '1\n'),
);
const contents = fc.oneof(
  bodies,
  fc.tuple(fc.nat(), bodies).map(([time, body]) => `v0:${time}:${body}`),
);
const anything = fc.oneof(
  contents,
  anyText({ maxLength: 300 }),
  fc.stringMatching(/^[A-Za-z0-9_=.:+{}"-]{1,40}$/),
  fc.stringMatching(/^[-0-9eE]{1,10}$/),
);

const signing = HANDSHAKES.filter((row) => row.signs);
const digestsIn = (row: HandshakeRow, challenge: string): string => {
  const reply = row.respond(OFFERS[row.name]!(challenge), KEYS);
  return reply === null ? '' : JSON.stringify(reply);
};

describe.each(signing.map((row) => [row.name, row] as const))('%s is not a signing oracle', (_name, row) => {
  it('never returns the digest of content that a delivery could have signed', () => {
    const isSilent = (content: string) => digestsIn(row, content) === '';
    fc.assert(fc.property(contents, isSilent), { numRuns: 2000 });
  });

  it('signs only texts that are not JSON and contain no colon, and no such body verifies', () => {
    let answered = 0;
    fc.assert(
      fc.property(anything, (challenge) => {
        const returned = digestsIn(row, challenge);
        if (returned === '') return;
        answered += 1;
        const hmac = () => createHmac('sha256', SECRET).update(challenge);
        expect([hmac().digest('hex'), hmac().digest('base64')].some((digest) => returned.includes(digest))).toBe(true);
        expect(challenge).not.toContain(':');
        expect(() => JSON.parse(challenge)).toThrow();
        expect(isSignedChallenge(Buffer.from(challenge))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(answered).toBeGreaterThan(50);
  });
});

it('every row whose answer depends on the secret is marked as signing', () => {
  expect(signing.map(({ name }) => name)).toEqual(Object.keys(OFFERS).sort());
});
