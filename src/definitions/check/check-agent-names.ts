import { isAgentPath } from '../../domain/definitions/agent-files.ts';
import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';
import type { AutomationLinks, NamedFolderKey } from '../read/file-result.ts';
import { quote } from '../yaml/key-path.ts';
import { createSuggester } from './create-suggester.ts';

/**
 * The names that `agent` and `runner` can have. A folder `agents/triage/` and a file `agents/triage.md` both declare `triage`.
 * `null` if the folder does not exist: then another tool resolves the names.
 */
export type AgentNames = Readonly<Record<NamedFolderKey, readonly string[] | null>>;

const FOLDERS: Readonly<Record<NamedFolderKey, string>> = { agent: 'agents', runner: 'runners' };

/** The agent that every factory has. */
const FOREMAN = 'foreman';

export function listAgentNames(entries: readonly TreeEntry[]): AgentNames {
  const paths = entries.map(({ path }) => path).filter(isAgentPath);
  return { agent: listNames(paths, FOLDERS.agent), runner: listNames(paths, FOLDERS.runner) };
}

function listNames(paths: readonly string[], folder: string): readonly string[] | null {
  const names = new Set<string>();
  for (const path of paths) {
    const [root, name = '', ...below] = path.split('/');
    if (root === folder) names.add(below.length > 0 ? name : name.replace(/(?!^)\.[^.]*$/, ''));
  }
  return names.size === 0 ? null : [...names].sort();
}

/** Creates the rule that reports an agent or a runner that the tree does not have. */
export function createAgentNameCheck(
  known: AgentNames,
): (automation: AutomationDefinition, links: AutomationLinks, diagnostics: ProblemCollector) => void {
  const check = { agent: createNameCheck('agent', known.agent), runner: createNameCheck('runner', known.runner) };
  return ({ agent, overrides }, { namedAt }, diagnostics) => {
    if (agent !== FOREMAN) check.agent(agent, namedAt.agent, diagnostics);
    check.runner(overrides.runner, namedAt.runner, diagnostics);
  };
}

function createNameCheck(key: NamedFolderKey, names: readonly string[] | null) {
  const known = new Set(names);
  const suggestName = createSuggester(known);
  const folder = FOLDERS[key];
  return (name: unknown, at: Position | null, diagnostics: ProblemCollector): void => {
    if (names === null || at === null || typeof name !== 'string' || known.has(name)) return;
    const similar = suggestName(name);
    const hint =
      similar === null ? `Add the folder ${folder}/${name}/, or remove the key.` : `Did you mean ${quote(similar)}?`;
    const message = `${folder}/ contains no ${key} named ${quote(name)}.`;
    diagnostics.add({ rule: `automation/unknown-${key}`, at, path: [key], message, hint });
  };
}
