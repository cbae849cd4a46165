import { AppError } from '../core/errors.ts';
import type { KnownFiles, SourceTree } from '../core/source-tree.ts';
import { checkDefinition, type ValidatedTree, type ValidationContext } from './check/check-definition.ts';
import type { FileResult, ReadSettings } from './read/file-result.ts';
import { type DefinitionFile, listFiles, type SortedTree, sortSimilarEntries } from './read/sort-entries.ts';

/** Reads files, for example in another thread. Returns one result per file. */
export type ReadFiles = (files: DefinitionFile[], settings: ReadSettings) => Promise<FileResult[]>;

/**
 * The results of the files of one factory, by path and digest. A validation reads only files that are new, and returns the
 * same objects as before for all others.
 */
export class FileResults implements KnownFiles {
  #last: SortedTree | null = null;
  #kept: ReadonlyMap<string, FileResult> = new Map();

  /** Is the result of this file kept? Then `validate` does not need its bytes. */
  has(path: string, digest: string): boolean {
    return this.#kept.get(path)?.digest === digest;
  }

  /**
   * Validates a tree. All files that are not kept must have their bytes. Rejects as `readFiles` does; the kept results are
   * unchanged then.
   *
   * @param options.keep keep the results of this tree, and of no other? Default: yes. No for trees that are only previewed
   */
  async validate(
    tree: SourceTree,
    context: ValidationContext,
    readFiles: ReadFiles,
    { keep = true }: { keep?: boolean } = {},
  ): Promise<ValidatedTree> {
    const sorted = sortSimilarEntries(tree, this.#last);
    const results = new Map<string, FileResult>();
    const missing: DefinitionFile[] = [];
    for (const file of listFiles(sorted)) {
      const kept = this.#find(tree, file);
      if (kept === undefined) missing.push(file);
      else results.set(kept.path, kept);
    }
    requireBytes(missing);
    const read = missing.length === 0 ? [] : await readFiles(missing, { prefix: tree.prefix });
    for (const result of read) results.set(result.path, result);
    if (keep) {
      this.#last = { tree, sorted };
      this.#kept = results;
    }
    return checkDefinition({ tree, sorted, results }, context);
  }

  /** Results contain the paths of their files in the repository, so they count only for trees with the same prefix. */
  #find({ prefix }: SourceTree, { entry }: DefinitionFile): FileResult | undefined {
    return prefix === this.#last?.tree.prefix && this.has(entry.path, entry.digest)
      ? this.#kept.get(entry.path)
      : undefined;
  }
}

/** The tree was read by somebody who knew files that are not kept any more. */
function requireBytes(files: readonly DefinitionFile[]): void {
  const unread = files.find(({ entry }) => entry.content === 'known');
  if (unread !== undefined) throw new AppError('internal', `the file ${unread.entry.path} was not read`);
}
