import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildOffer, buildRejection, buildReplay } from '../../../test/helpers/build-offer.ts';
import type { DeliveryLogEntry, DeliveryOffer } from '../../domain/resources/delivery.ts';
import { packBatch, packOutcomes, unpackBatch, unpackOutcomes } from './packed-batch.ts';

const bytes = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: 16_380, max: 16_390 }) },
  { weight: 1, arbitrary: fc.constant(100_000) },
);
const drawnOffer = fc.record({
  bytes,
  isShared: fc.boolean(),
  hasRun: fc.boolean(),
  key: fc.option(fc.string()),
  subject: fc.option(fc.string(), { nil: undefined }),
});
const drawnEntry = fc.oneof(
  { weight: 4, arbitrary: drawnOffer },
  fc.constantFrom('rejection' as const, 'replay' as const),
);

function build(drawn: typeof drawnEntry extends fc.Arbitrary<infer T> ? T : never, index: number): DeliveryLogEntry {
  const webhook = index + 1;
  if (drawn === 'rejection') return buildRejection({ webhook });
  if (drawn === 'replay') return buildReplay(buildOffer({ webhook }), { webhook, body: `replay ${index}` });
  const runs = drawn.hasRun ? [{ automation: 'fix-errors', version: index }] : [];
  const body = new Uint8Array(drawn.bytes).fill(index + 1);
  const offer = buildOffer({ webhook, body, runs, revision: index % 2 === 0 ? 'c0ffee' : null });
  const identity = { ...offer.identity, key: drawn.key ?? offer.identity.key };
  return { ...offer, identity, subject: drawn.subject, body: drawn.isShared ? share(body) : body };
}

/** A body in the middle of a larger buffer. */
function share(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(body.byteLength + 20);
  larger.set(body, 10);
  return larger.subarray(10, 10 + body.byteLength);
}

describe('a packed batch', () => {
  it('has every entry unchanged and in order after it has changed threads', () => {
    fc.assert(
      fc.property(fc.array(drawnEntry, { maxLength: 30 }), (drawn) => {
        const batch = drawn.map(build);
        const expected = structuredClone(batch).map(toPlain);
        const { packed, transfer } = packBatch(batch);
        expect(unpackBatch(structuredClone(packed, { transfer })).map(toPlain)).toEqual(expected);
      }),
    );
  });

  it('copies short bodies and bodies in a shared buffer, and transfers the others', () => {
    const bodies = [new Uint8Array(100), share(new Uint8Array(50_000)), new Uint8Array(50_000)];
    const { packed, transfer } = packBatch(bodies.map((body) => ({ ...buildOffer(), body }) as DeliveryOffer));
    structuredClone(packed, { transfer });
    expect(bodies.map((body) => body.byteLength)).toEqual([100, 50_000, 0]);
  });

  it('has every outcome', () => {
    const outcomes = [
      { label: 'Accepted' as const },
      { label: 'Accepted' as const, guarded: ['fix-errors'] },
      { label: 'Duplicate' as const, of: 'dlv_a' as const, reason: 'same_identity' as const },
      { label: 'Rejected (auth)' as const },
      { label: null, message: 'failed' },
    ];
    expect(unpackOutcomes(structuredClone(packOutcomes(outcomes)))).toEqual(outcomes);
  });
});

/** Buffers and typed arrays with the same bytes become equal. */
function toPlain(entry: DeliveryLogEntry) {
  if (entry.kind === 'rejection') return entry;
  return { ...entry, body: Buffer.from(entry.body).toString('latin1') };
}
