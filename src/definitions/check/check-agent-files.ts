import {
  type AgentFile,
  MAX_AGENT_BYTES,
  MAX_AGENT_FILES,
  type OmissionReason,
  selectAgentFiles,
} from '../../domain/definitions/agent-files.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { MAX_DEFINITION_BYTES, type SourceTree } from '../../domain/definitions/source-tree.ts';
import { toDiagnostic } from '../file-diagnostics.ts';
import { FILE_START } from '../yaml/positions.ts';

/** Maximum number of entries that are listed with the same reason. */
const MAX_LISTED = 20;

/** Reports the files in `agents/`, `runners/` and `skills/` that runs do not get. */
export function checkAgentFiles(tree: SourceTree): Diagnostic[] {
  const { omitted } = selectAgentFiles(tree.entries, ({ content }) => content !== 'unread');
  const unnamed = (tree.unusable ?? []).filter(({ isIgnored }) => isIgnored);
  return [
    ...listFirst(listOmitted(tree.prefix, omitted, 'not_a_file')),
    ...listFirst(listOmitted(tree.prefix, omitted, 'long_name')),
    ...listFirst(listOmitted(tree.prefix, omitted, 'too_large')),
    // The limit concerns all files, so its first victim stands for the others.
    ...listOmitted(tree.prefix, omitted, 'too_many').slice(0, 1),
    ...listFirst(unnamed.map(({ file, message }) => describe(file, `${message} ${NOT_PASSED}`))),
  ];
}

const NOT_PASSED = 'Runs do not get it.';
const SIZE_LIMIT = `${MAX_DEFINITION_BYTES / 1024} KiB`;

const MESSAGES: Readonly<Record<OmissionReason, string>> = {
  not_a_file: `is not a regular file. ${NOT_PASSED}`,
  long_name: `has a name that is too long for a file system. ${NOT_PASSED}`,
  too_large: `is larger than ${SIZE_LIMIT}, or over the limit of all files together. ${NOT_PASSED}`,
  too_many: `exceeds the limit: runs get at most ${MAX_AGENT_FILES} files and ${MAX_AGENT_BYTES / 1_048_576} MiB of agents/, runners/ and skills/. Runs get neither this file nor the files after it that exceed the limit.`,
};

function listOmitted(
  prefix: string,
  omitted: readonly { entry: AgentFile; reason: OmissionReason }[],
  reason: OmissionReason,
): Diagnostic[] {
  return omitted
    .filter((omission) => omission.reason === reason)
    .map(({ entry }) => describe(prefix + entry.path, `The entry ${MESSAGES[reason]}`));
}

/** The last one that is listed states the number of the others. */
function listFirst(found: readonly Diagnostic[]): Diagnostic[] {
  const listed = found.slice(0, MAX_LISTED);
  const others = found.length - listed.length;
  if (others === 0) return listed;
  const last = listed.at(-1)!;
  const entries = others === 1 ? 'entry is' : 'entries are';
  return listed.with(-1, {
    ...last,
    message: `${last.message} ${others} more ${entries} omitted for the same reason.`,
  });
}

function describe(file: string, message: string): Diagnostic {
  const hint = 'Move files that runs do not need to another folder, and replace links by the files themselves.';
  return toDiagnostic(file, { rule: 'tree/omitted-file', at: FILE_START, path: [], message, hint });
}
