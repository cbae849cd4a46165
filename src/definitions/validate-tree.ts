import type { SourceTree } from '../domain/source-tree.ts';
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
