import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import {
  collectAgentFiles,
  isAgentPath,
  MAX_AGENT_BYTES,
  MAX_AGENT_FILES,
} from '../../src/domain/definitions/agent-files.ts';
import type { SourceTree } from '../../src/domain/definitions/source-tree.ts';
import { readDirectoryTree, readRevisionTree } from '../../src/reconcile/source/directory-source.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';

let repo: TempGitRepo;
beforeEach(async () => {
  repo = await createTempGitRepo();
});
afterEach(() => repo.remove());

const FACTORY = { 'factory.yaml': 'schemaVersion: v1alpha1\nname: payments\n' };

/** The tree as git has it, and as it is on disk. */
async function readBoth(): Promise<SourceTree[]> {
  const answers = await Promise.all([readRevisionTree(repo.path, 'HEAD'), readDirectoryTree(repo.path)]);
  return answers.map((answer) => {
    if (!answer.ok) throw new Error(answer.message);
    return answer.tree;
  });
}

const pathsOf = (tree: SourceTree) => collectAgentFiles(tree.entries).set.files.map(({ path }) => path);

const rulesOf = (tree: SourceTree) =>
  validateTree(tree, { webhooksPerFactory: 20, knownUids: new Map() }).diagnostics.map(({ rule, severity }) => [
    rule,
    severity,
  ]);

describe('agent files', () => {
  it('are read from git and from disk alike', async () => {
    const files = { 'agents/a/agent.md': 'a', 'runners/b.yaml': 'b', 'skills/c d/SKILL.md': 'c', 'other/x': 'x' };
    await repo.commit({ ...FACTORY, ...files });
    const [git, disk] = (await readBoth()).map((tree) => collectAgentFiles(tree.entries));
    expect(git).toEqual(disk);
    expect(git!.set.files.map(({ path }) => path)).toEqual([
      'agents/a/agent.md',
      'runners/b.yaml',
      'skills/c d/SKILL.md',
    ]);
    expect(Buffer.from(git!.contents.get(git!.set.files[2]!.digest)!).toString()).toBe('c');
  });

  it('never make a tree invalid by their names, kinds, number or sizes', { tags: 'full' }, async () => {
    const many = Array.from({ length: MAX_AGENT_FILES + 50 }, (_, index) => [`skills/many/${1e6 + index}`, 'x']);
    const large = Array.from({ length: 30 }, (_, index) => [`agents/large/${index}`, 'x'.repeat(MAX_AGENT_BYTES / 20)]);
    await repo.commit({ ...FACTORY, ...Object.fromEntries([...many, ...large]), 'runners/a\nb': 'x' });
    symlinkSync('/etc/passwd', join(repo.path, 'runners/link'));
    await repo.commit({});
    for (const tree of await readBoth()) {
      const rules = rulesOf(tree);
      expect(rules.length).toBeGreaterThan(0);
      for (const [rule, severity] of rules) expect([rule, severity]).toEqual(['tree/omitted-file', 'warning']);
      const { set } = collectAgentFiles(tree.entries);
      expect(set.files.length).toBeLessThanOrEqual(MAX_AGENT_FILES);
      expect(set.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(MAX_AGENT_BYTES);
      expect(pathsOf(tree)).not.toContain('runners/link');
      expect(tree.entries.filter(({ path }) => isAgentPath(path)).length).toBeLessThanOrEqual(MAX_AGENT_FILES + 1);
    }
  });

  it('of a factory in a folder are those of that folder', async () => {
    await repo.commit({
      'agents/outside.md': 'x',
      'sub/factory.yaml': FACTORY['factory.yaml'],
      'sub/agents/in.md': 'x',
    });
    const answer = await readRevisionTree(join(repo.path, 'sub'), 'HEAD');
    expect(answer.ok && pathsOf(answer.tree)).toEqual(['agents/in.md']);
  });
});
