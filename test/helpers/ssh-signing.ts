import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TempGitRepo } from './temp-git-repo.ts';

/** An SSH key that signs commits. */
export interface SigningKey {
  /** File with the public key. */
  file: string;
  /** Line of a file of allowed signers. */
  allowedSigner: string;
}

export function createSigningKey(folder: string, name: string): SigningKey {
  const file = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  const [type, key] = readFileSync(`${file}.pub`, 'utf8').split(' ');
  return { file: `${file}.pub`, allowedSigner: `${name}@example.com namespaces="git" ${type} ${key}\n` };
}

/** Signs the tip of the branch again, with this key. Returns the new commit. */
export async function signTip(repo: TempGitRepo, { file }: SigningKey): Promise<string> {
  const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${file}`];
  const commit = await repo.git([...settings, 'commit-tree', '-S', '-m', 'signed', ...(await describeTip(repo))]);
  await repo.git(['update-ref', `refs/heads/${repo.branch}`, commit]);
  return commit;
}

/** The tree and the parent of the tip. */
async function describeTip(repo: TempGitRepo): Promise<string[]> {
  const [tree, ...parents] = (await repo.git(['log', '-1', '--format=%T %P', repo.branch])).split(' ').filter(Boolean);
  return [tree!, ...parents.flatMap((parent) => ['-p', parent])];
}

export function writeAllowedSigners(file: string, keys: readonly SigningKey[]): void {
  writeFileSync(file, keys.map(({ allowedSigner }) => allowedSigner).join(''));
}
