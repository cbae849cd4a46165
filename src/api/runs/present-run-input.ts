import type { RunInput } from '../../core/resources/run.ts';
import { presentWorkspace } from '../../core/workspace.ts';
import { PAYLOAD_FILE, presentStandsFor, renderEnvelope } from '../../run/envelope.ts';

/** What a run was given. */
export function presentRunInput(input: RunInput) {
  return {
    prompt: input.prompt,
    envelope: renderEnvelope(input),
    attachments: [{ name: PAYLOAD_FILE, size: input.payload.byteLength, media_type: 'application/json' }],
    overrides: input.overrides,
    workspace: presentWorkspace(input.workspace, input.payload, input.run.revision),
    event: input.event,
    stands_for: presentStandsFor(input.standsFor),
  };
}
