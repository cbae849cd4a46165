// The room of definitions: bytes to values, or to diagnostics. It loads no storage and no native part, so `dockbell validate`
// needs no daemon. It never throws for a file.
// In: the tree of a commit (`domain/definitions/source-tree.ts`). Out: a `FactoryDefinition`, or all findings with line and column. The
// two halves are below: `read/read-files.ts` reads each file alone, `check/check-definition.ts` applies the rules across
// files. The daemon keeps the results of the first half: `file-results.ts`.
// Next: `yaml/parse-yaml.ts`, `triggers/compile-trigger.ts`, `filter/match-payload.ts`, `signature/scheme.ts` for the
// languages in the files, `samples/evaluate-samples.ts` for `dockbell test`, `report/validation-report.ts` for the output of
// findings.

import type { SourceTree } from '../domain/definitions/source-tree.ts';
import { checkDefinition, type ValidatedTree, type ValidationContext } from './check/check-definition.ts';
import { readFiles } from './read/read-files.ts';
import { listFiles, sortEntries } from './read/sort-entries.ts';

/**
 * Bytes → definitions, or all their problems. Never throws, for any bytes.
 *
 * @param onFile called with the path of each file, as in diagnostics, before the file is read
 */
export function validateTree(
  tree: SourceTree,
  context: ValidationContext,
  onFile: (file: string) => void = () => {},
): ValidatedTree {
  const sorted = sortEntries(tree);
  const results = readFiles(listFiles(sorted), tree, onFile);
  return checkDefinition({ tree, sorted, results }, context).validated;
}
