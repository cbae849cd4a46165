import type { FileChanges } from '../../domain/applies/plan.ts';
import type { AgentFileSet } from '../../domain/definitions/agent-files.ts';

/** The agent files that an apply would add, replace and remove, in the order of their paths. */
export function compareAgentFiles(applied: AgentFileSet, planned: AgentFileSet): FileChanges {
  const before = new Map(applied.files.map(({ path, digest }) => [path, digest]));
  const after = new Set(planned.files.map(({ path }) => path));
  return {
    create: planned.files.flatMap(({ path }) => (before.has(path) ? [] : [path])),
    update: planned.files.flatMap(({ path, digest }) =>
      before.has(path) && before.get(path) !== digest ? [path] : [],
    ),
    delete: applied.files.flatMap(({ path }) => (after.has(path) ? [] : [path])),
  };
}
