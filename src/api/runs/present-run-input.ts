import type { RunInput } from '../../core/resources/run.ts';
import { presentWorkspace } from '../../core/workspace.ts';
import { PAYLOAD_FILE, presentStandsFor, renderEnvelope } from '../../run/envelope.ts';
import { readRunContext } from '../../run/read-context.ts';

/** What a run was given. */
export function presentRunInput(input: RunInput) {
  const context = readRunContext(input);
  return {
    prompt: input.prompt,
    envelope: renderEnvelope(input, context),
    attachments: [{ name: PAYLOAD_FILE, size: input.payload.byteLength, media_type: 'application/json' }],
    overrides: input.overrides,
    workspace: presentWorkspace(input.workspace, input.payload, input.run.revision),
    event: input.event,
    context,
    stands_for: presentStandsFor(input.standsFor),
  };
}
