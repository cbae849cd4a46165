import { LIMIT_OPTIONS } from '../../config/options/limit-options.ts';
import type { ValidatedTree } from '../../definitions/check/check-definition.ts';
import { describeRejectedTree } from '../../definitions/check/unread-tree.ts';
import { validateTree } from '../../definitions/validate-tree.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { readDirectoryTree, readRevisionTree } from '../../reconcile/source/directory-source.ts';
import { CliError } from '../exit-codes.ts';
import { suggestFactories } from './find-factories.ts';

/** The findings in a tree, and the tree itself to quote from. */
export interface OfflineValidation {
  validated: ValidatedTree;
  tree: SourceTree;
  /** The folder that `file` of a diagnostic is relative to. */
  root: string;
}

/**
 * Validates the factory in a folder or in a git revision, without a daemon. The limit of webhooks is the default of
 * `limits.webhooksPerFactory`, and no UID is known. A folder or revision that does not exist is a `CliError`.
 */
export async function validateOffline(
  dir: string,
  rev?: string,
  webhooksPerFactory: number = LIMIT_OPTIONS['limits.webhooksPerFactory'].default,
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

/** The hint of the daemon is about its configuration. Here the hint suggests other folders. */
async function leadToFactory(finding: Diagnostic, dir: string): Promise<Diagnostic> {
  return finding.rule === 'factory/not-found' ? { ...finding, hint: await suggestFactories(dir) } : finding;
}

const HINTS: { [reason: string]: string } = {
  RepositoryMissing: 'Specify the folder of the factory. With --rev, it must be in a git repository.',
  BranchMissing: "Specify a branch, a tag or a commit of the repository. To list commits, run 'git log --oneline'.",
};
