import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import { createGitSource } from '../../src/reconcile/source/git-source.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { createSigningKey, type SigningKey, signTip, writeAllowedSigners } from '../helpers/ssh-signing.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';

let folder: string;
let repo: TempGitRepo;
let alice: SigningKey;
let mallory: SigningKey;
let allowedSigners: string;
let source: DefinitionSource;

beforeEach(async () => {
  folder = createTempDir('signed');
  repo = await createTempGitRepo();
  alice = createSigningKey(folder, 'alice');
  mallory = createSigningKey(folder, 'mallory');
  allowedSigners = join(folder, 'allowed_signers');
  writeAllowedSigners(allowedSigners, [alice]);
  source = open();
});
afterEach(async () => {
  await source.close();
  repo.remove();
});

function open(environment: Record<string, string> = {}): DefinitionSource {
  return createGitSource({
    url: repo.path,
    branch: repo.branch,
    path: '.',
    mirrorDir: join(folder, 'mirror'),
    pollIntervalMs: 60_000,
    allowedSigners,
    environment: { PATH: process.env.PATH ?? '', HOME: folder, ...environment },
  });
}

async function readTip(): Promise<string> {
  const fetched = await source.fetch();
  if (!fetched.ok) return `${fetched.reason}: ${fetched.message}`;
  const read = await source.readTree(fetched.revision);
  return read.ok ? 'read' : `${read.reason}: ${read.message}`;
}

const commit = () => repo.commit({ 'webhooks/ci.yaml': `secretName: CI # ${Math.random()}\n` });

it('reads a commit that an allowed key signed', async () => {
  await commit();
  await commit();
  await signTip(repo, alice);
  expect(await readTip()).toBe('read');
});

it('rejects a commit without a signature, on top of a signed one', async () => {
  await commit();
  await signTip(repo, alice);
  const unsigned = await commit();
  expect(await readTip()).toBe(
    `CommitUntrusted: Commit ${unsigned} has no SSH signature, which source.allowedSigners requires.`,
  );
});

it('rejects a commit that another key signed, and names the key', async () => {
  await commit();
  const signed = await signTip(repo, mallory);
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', mallory.file], { encoding: 'utf8' }).split(' ')[1]!;
  const answer = await readTip();
  expect(answer).toMatch(`CommitUntrusted: No key in "${allowedSigners}" signed commit ${signed}`);
  expect(answer).toContain(fingerprint);
});

it('rejects a commit whose text was changed after it was signed', async () => {
  await commit();
  const signed = await signTip(repo, alice);
  const text = await repo.git(['cat-file', 'commit', signed]);
  const changed = await repo.git(['hash-object', '-t', 'commit', '-w', '--stdin'], `${text} and more\n`);
  await repo.git(['update-ref', `refs/heads/${repo.branch}`, changed]);
  expect(await readTip()).toMatch(/^CommitUntrusted: No key in .* signed commit/);
});

it('uses neither settings nor programs that the repository or the user configures', async () => {
  const [theirs, canary] = [join(folder, 'theirs'), join(folder, 'canary')];
  writeAllowedSigners(theirs, [mallory]);
  writeFileSync(`${canary}.sh`, `#!/bin/sh\ntouch ${canary}\nexit 0\n`);
  chmodSync(`${canary}.sh`, 0o755);
  const settings = [
    ['gpg.ssh.allowedSignersFile', theirs],
    ['gpg.ssh.program', `${canary}.sh`],
    ['gpg.program', `${canary}.sh`],
    ['gpg.minTrustLevel', 'undefined'],
  ] as const;
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI\n', '.gitconfig': '[gpg]\n', allowed_signers: 'x' });
  const signed = await signTip(repo, mallory);
  const text = settings
    .map(([key, value]) => `[${key.replace(/\.(\w+)$/, '')}]\n\t${key.split('.').at(-1)} = ${value}\n`)
    .join('');
  const sections = text.replaceAll('[gpg.ssh]', '[gpg "ssh"]');
  appendFileSync(join(repo.path, '.git/config'), sections);
  writeFileSync(join(folder, '.gitconfig'), sections);
  expect(execFileSync('git', ['-C', repo.path, 'config', 'gpg.ssh.program'], { encoding: 'utf8' })).toContain(canary);
  expect(await readTip()).toMatch(`signed commit ${signed}`);
  expect(existsSync(canary)).toBe(false);
});

it.skipIf(!hasProgram('gpg'))(
  'rejects an OpenPGP signature, also of a key in the keyring of the user',
  { tags: 'full' },
  async () => {
    const home = createTempDir('gnupg');
    mkdirSync(join(home, '.gnupg'), { mode: 0o700 });
    const gpg = (...args: string[]) =>
      execFileSync('gpg', ['--homedir', join(home, '.gnupg'), '--batch', '--quiet', ...args], { stdio: 'pipe' });
    gpg('--passphrase', '', '--quick-gen-key', 'mallory@example.com', 'ed25519', 'sign');
    await commit();
    const wrapper = join(folder, 'gpg.sh');
    writeFileSync(wrapper, `#!/bin/sh\nexec gpg --homedir ${join(home, '.gnupg')} "$@"\n`, { mode: 0o755 });
    const tree = await repo.git(['rev-parse', `${repo.branch}^{tree}`]);
    const signing = ['-c', `gpg.program=${wrapper}`, '-c', 'user.signingKey=mallory@example.com'];
    const identity = ['-c', 'user.name=Mallory', '-c', 'user.email=mallory@example.com'];
    const args = ['-C', repo.path, ...identity, ...signing, 'commit-tree', '-S', '-m', 'signed', tree];
    const signed = execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    expect(await repo.git(['cat-file', 'commit', signed])).toContain('BEGIN PGP SIGNATURE');
    await repo.git(['update-ref', `refs/heads/${repo.branch}`, signed]);
    await source.close();
    source = open({ HOME: home });
    expect(await readTip()).toMatch(`Commit ${signed} has no SSH signature`);
    execFileSync('gpgconf', ['--homedir', join(home, '.gnupg'), '--kill', 'all']);
  },
);

it('fails, so that it is retried, while the file or ssh-keygen is missing', async () => {
  await commit();
  await signTip(repo, alice);
  rmSync(allowedSigners);
  expect(await readTip()).toMatch(/^SignersUnreadable: source.allowedSigners .* cannot be read: ENOENT/);
  writeAllowedSigners(allowedSigners, [alice]);
  expect(await readTip()).toBe('read');
  const bin = createTempDir('bin');
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nexec ${git} "$@"\n`, { mode: 0o755 });
  await source.close();
  source = open({ PATH: bin });
  expect(await readTip()).toMatch(/^SignersUnreadable: ssh-keygen/);
});
