import type { TempGitRepo } from './temp-git-repo.ts';

/** A file, an entry of another mode, or `null` to delete. */
export type ProposedFiles = Record<string, string | null | { mode: '120000' | '160000'; content: string }>;

interface Node {
  files: Map<string, string>;
  folders: Map<string, Node>;
}

/**
 * Commits files on top of a commit without a work tree and without a branch, as the head of a pull request is. Paths may be
 * anything that git can store. Returns the commit.
 */
export async function commitOnto(repo: TempGitRepo, parent: string, files: ProposedFiles): Promise<string> {
  const listed = await repo.git(['ls-tree', '-r', '-z', parent]);
  const entries = new Map(
    listed
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
  for (const [path, file] of Object.entries(files)) {
    if (file === null) entries.delete(path);
    else entries.set(path, await describeEntry(repo, file));
  }
  const root = createNode();
  for (const [path, entry] of entries) place(root, path.split('/'), entry);
  const tree = await writeTree(repo, root);
  return repo.git(['commit-tree', '-m', 'proposed', '-p', parent, tree]);
}

async function describeEntry(repo: TempGitRepo, file: Exclude<ProposedFiles[string], null>): Promise<string> {
  const { mode, content } = typeof file === 'string' ? { mode: '100644', content: file } : file;
  if (mode === '160000') return `${mode} commit ${content}`;
  return `${mode} blob ${await repo.git(['hash-object', '-w', '--stdin'], content)}`;
}

function createNode(): Node {
  return { files: new Map(), folders: new Map() };
}

function place(node: Node, [name = '', ...rest]: string[], entry: string): void {
  if (rest.length === 0) return void node.files.set(name, entry);
  const folder = node.folders.get(name) ?? createNode();
  node.folders.set(name, folder);
  place(folder, rest, entry);
}

async function writeTree(repo: TempGitRepo, { files, folders }: Node): Promise<string> {
  const lines = [...files].map(([name, entry]) => `${entry}\t${name}`);
  for (const [name, folder] of folders) lines.push(`040000 tree ${await writeTree(repo, folder)}\t${name}`);
  return repo.git(['mktree', '-z', '--missing'], lines.map((line) => `${line}\0`).join(''));
}
