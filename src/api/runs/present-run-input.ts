import type { RunInput } from '../../core/resources/run.ts';
import { PAYLOAD_FILE, presentStandsFor, renderEnvelope } from '../../run/envelope.ts';

/** What a run was given. */
export function presentRunInput(input: RunInput) {
  return {
    prompt: input.prompt,
    envelope: renderEnvelope(input),
    attachments: [{ name: PAYLOAD_FILE, size: input.payload.byteLength, media_type: 'application/json' }],
    overrides: input.overrides,
    event: input.event,
    stands_for: presentStandsFor(input.standsFor),
  };
}
