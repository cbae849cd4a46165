import { TIMESTAMP_UNITS, type TimestampRule } from '../scheme.ts';
import type { DiagnosedRequest, Mistake, SchemeVariant } from './mistake.ts';

/** Mistakes in the moment of signing; the only ones that judge it. */
export const CLOCK_MISTAKES: readonly Mistake[] = [
  { id: 'timestamp_unit', tried: 'the moment of signing in another unit', vary: varyUnit },
  { id: 'clock', tried: 'the moment of signing, whatever the clocks say', vary: varyClock },
];

function* varyUnit({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return;
  for (const unit of TIMESTAMP_UNITS) {
    if (unit === scheme.timestamp.unit) continue;
    const timestamp: TimestampRule = { ...scheme.timestamp, unit };
    const sentence = `The moment of signing is written in ${unit} where this scheme has ${scheme.timestamp.unit}: let the sender write ${scheme.timestamp.unit}.`;
    yield { scheme: { ...scheme, timestamp }, judgesClock: true, sentence };
  }
}

function* varyClock({ scheme, detail }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return;
  const by = detail === null ? '' : ` (${detail})`;
  yield {
    sentence: `The signature is good but its moment lies too far from our clock${by}: set the clocks of the sender and of this host by a time server, and let the sender sign anew whenever it sends again.`,
  };
}
