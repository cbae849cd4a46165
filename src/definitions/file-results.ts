import { OrderedLookup } from '../domain/definitions/ordered-lookup.ts';
import type { KnownFiles, SourceTree } from '../domain/definitions/source-tree.ts';
import { AppError } from '../domain/errors.ts';
import {
  type CheckedDefinition,
  checkDefinition,
  type ValidatedTree,
  type ValidationContext,
} from './check/check-definition.ts';
import type { DefinitionFile } from './read/definition-file.ts';
import type { FileResult, ReadSettings } from './read/file-result.ts';
import { listFiles, type SortedTree, sortSimilarEntries } from './read/sort-entries.ts';

/** Reads files, for example in another thread. Returns one result per file. */
export type ReadFiles = (files: DefinitionFile[], settings: ReadSettings) => Promise<FileResult[]>;

/**
 * The results of the files of one factory, by path and digest. A validation reads only files that are new, and returns the
 * same objects as before for all others.
 */
export class FileResults implements KnownFiles {
  #last: SortedTree | null = null;
  #kept = keepResults([]);
  #checked: CheckedDefinition | null = null;

  /** Is the result of this file kept? Then `validate` does not need its bytes. */
  has(path: string, digest: string): boolean {
    return this.#kept.get(path, NO_INDEX)?.digest === digest;
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
    const files = listFiles(sorted);
    const found = files.map((file, index) => this.#find(tree, file, index));
    const missing = files.filter((_, index) => found[index] === undefined);
    requireBytes(missing);
    const read = missing.length === 0 ? [] : await readFiles(missing, { prefix: tree.prefix });
    const newest = new Map(read.map((result) => [result.path, result]));
    const results = files.map(({ entry }, index) => found[index] ?? newest.get(entry.path)!);
    const checked = checkDefinition({ tree, sorted, results }, context, this.#checked);
    if (keep) {
      this.#last = { tree, sorted };
      this.#kept = keepResults(results);
      this.#checked = checked;
    }
    return checked.validated;
  }

  /** Results contain the paths of their files in the repository, so they count only for trees with the same prefix. */
  #find({ prefix }: SourceTree, { entry }: DefinitionFile, index: number): FileResult | undefined {
    if (prefix !== this.#last?.tree.prefix) return undefined;
    const kept = this.#kept.get(entry.path, index);
    return kept?.digest === entry.digest ? kept : undefined;
  }
}

const NO_INDEX = -1;

/** The results by the paths of their files, in the order of `listFiles`. */
function keepResults(results: readonly FileResult[]): OrderedLookup<string, FileResult> {
  return new OrderedLookup(
    results.map(({ path }) => path),
    results,
  );
}

/** The tree was read by somebody who knew files that are no longer kept. */
function requireBytes(files: readonly DefinitionFile[]): void {
  const unread = files.find(({ entry }) => entry.content === 'known');
  if (unread !== undefined) throw new AppError('internal', `the file ${unread.entry.path} was not read`);
}
