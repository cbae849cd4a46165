import { OPTIONS } from '../../config/options.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { SourceTree } from '../../core/source-tree.ts';
import { describeRejectedTree, type ValidatedTree, validateTree } from '../../definitions/validate-tree.ts';
import { readDirectoryTree, readRevisionTree } from '../../source/directory-source.ts';
import { CliError } from '../exit-codes.ts';
import { suggestFactories } from './find-factories.ts';

/** What is wrong with a tree, and the tree itself, to quote from. */
export interface OfflineValidation {
  validated: ValidatedTree;
  tree: SourceTree;
  /** The folder that `file` of a diagnostic is relative to. */
  root: string;
}

/**
 * Checks the factory in a folder, or as a git revision holds it, without a daemon: webhooks are counted against the
 * default of `limits.webhooksPerFactory` unless told otherwise, and no UID is known. A folder or revision that is not there is a `CliError`.
 */
export async function validateOffline(
  dir: string,
  rev?: string,
  webhooksPerFactory: number = OPTIONS['limits.webhooksPerFactory'].default,
): Promise<OfflineValidation> {
  const read = rev === undefined ? await readDirectoryTree(dir) : await readRevisionTree(dir, rev);
  if (read.ok) {
    const validated = validateTree(read.tree, { webhooksPerFactory, knownUids: new Map() });
    const diagnostics = await Promise.all(validated.diagnostics.map((finding) => leadToFactory(finding, dir)));
    return { validated: { ...validated, diagnostics }, tree: read.tree, root: read.root };
  }
  if (read.reason !== 'TreeOdd' && read.reason !== 'TreeTooLarge') {
    throw new CliError(read.message, { hint: HINTS[read.reason] ?? '' });
  }
  const diagnostics = [describeRejectedTree(read.reason, read.message)];
  const validated = { diagnostics, definition: null, declared: { webhooks: [], automations: [] }, files: [] };
  return { validated, tree: { prefix: '', entries: [] }, root: dir };
}

/** The hint of the daemon is about its configuration; whoever named a folder is told of others. */
async function leadToFactory(finding: Diagnostic, dir: string): Promise<Diagnostic> {
  return finding.rule === 'factory/not-found' ? { ...finding, hint: await suggestFactories(dir) } : finding;
}

const HINTS: { [reason: string]: string } = {
  RepositoryMissing: 'Name the folder that holds the factory; for a revision it has to lie in a git repository.',
  BranchMissing: "Name a branch, a tag or a commit of the repository; 'git log --oneline' lists commits.",
};

/**
 * Text of each file that has a finding, under the path that findings show, to quote the line that is wrong.
 *
 * @param prefix put before every path, as it was before those of the findings
 */
export function collectSources(
  { prefix: folder, entries }: SourceTree,
  diagnostics: readonly Diagnostic[],
  prefix = '',
): Map<string, string> {
  const quoted = new Set(diagnostics.map(({ file }) => file));
  const readable = entries.filter(({ path, bytes }) => bytes !== null && quoted.has(`${folder}${path}`));
  return new Map(
    readable.map(({ path, bytes }) => [`${prefix}${folder}${path}`, Buffer.from(bytes!).toString('utf8')]),
  );
}
