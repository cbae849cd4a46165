import type { RunInput } from '../../domain/resources/run.ts';
import { presentWorkspace } from '../../domain/runs/workspace.ts';
import { PAYLOAD_FILE, presentStandsFor, renderEnvelope } from '../../runs/envelope.ts';
import { readRunContext } from '../../runs/read-context.ts';

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
