import { TIMESTAMP_UNITS, type TimestampRule } from '../scheme.ts';
import type { DiagnosedRequest, Mistake, SchemeVariant } from './mistake.ts';

/** Mistakes in the timestamp; the only ones that check it. */
export const CLOCK_MISTAKES: readonly Mistake[] = [
  { id: 'timestamp_unit', tried: 'the timestamp in another unit', vary: varyUnit },
  { id: 'clock', tried: 'the timestamp without its tolerance', vary: varyClock },
];

function* varyUnit({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return;
  for (const unit of TIMESTAMP_UNITS) {
    if (unit === scheme.timestamp.unit) continue;
    const timestamp: TimestampRule = { ...scheme.timestamp, unit };
    const sentence = `The timestamp is in ${unit}, but this scheme uses ${scheme.timestamp.unit}: make the sender write ${scheme.timestamp.unit}.`;
    yield { scheme: { ...scheme, timestamp }, checksClock: true, sentence };
  }
}

function* varyClock({ scheme, detail }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return;
  const by = detail === null ? '' : ` (${detail})`;
  yield {
    sentence: `The signature is valid, but its timestamp differs too much from the clock of this host${by}: synchronize the clocks of the sender and of this host with a time server, and make the sender sign each retry again.`,
  };
}
