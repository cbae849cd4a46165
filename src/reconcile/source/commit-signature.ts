import { stat } from 'node:fs/promises';
import { messageOf } from '../../domain/errors.ts';
import type { SourceFailed } from '../../domain/ports/sources.ts';
import type { RunInRepository } from './ancestry.ts';
import { quote } from './printable-text.ts';
import { failed } from './source-limits.ts';

const MAX_QUOTED_CHARACTERS = 240;

/**
 * Checks that a key of the file signed the commit, by `git verify-commit`. Only SSH signatures count: no keyring of the user
 * and no setting of a repository takes part. Returns `null` if one of the keys signed it.
 *
 * @param allowedSigners absolute path of a file in the format of `ssh-keygen`, "ALLOWED SIGNERS"
 */
export async function verifyCommit(
  run: RunInRepository,
  revision: string,
  allowedSigners: string,
): Promise<SourceFailed | null> {
  const problem = await describeUnreadable(allowedSigners);
  if (problem !== null) return problem;
  const outcome = await run({ args: ['verify-commit', revision], config: acceptOnly(allowedSigners) });
  if (outcome.kind !== 'exited') {
    return failed('RepositoryUnreachable', `The signature of commit ${revision} could not be verified.`);
  }
  if (outcome.code === 0) return null;
  return /cannot run ssh-keygen/.test(outcome.stderr)
    ? failed('SignersUnreadable', 'ssh-keygen, which verifies signatures, is not installed or not in PATH.')
    : failed('CommitUntrusted', describeUntrusted(revision, outcome.stderr, allowedSigners));
}

/** The signature in the commit selects the program. Those of other formats would read keys of the user. */
function acceptOnly(allowedSigners: string): readonly (readonly [string, string])[] {
  return [
    ['gpg.program', '/bin/false'],
    ['gpg.openpgp.program', '/bin/false'],
    ['gpg.x509.program', '/bin/false'],
    ['gpg.ssh.program', 'ssh-keygen'],
    ['gpg.ssh.allowedSignersFile', allowedSigners],
    ['gpg.minTrustLevel', 'fully'],
  ];
}

async function describeUnreadable(path: string): Promise<SourceFailed | null> {
  const problem = await stat(path).then(
    (found) => (found.isFile() ? null : 'it is not a file'),
    (error: unknown) => messageOf(error),
  );
  if (problem === null) return null;
  return failed('SignersUnreadable', `source.allowedSigners ${quote(path)} cannot be read: ${problem}.`);
}

/** git reports nothing for a commit without a signature, and for one of another format. */
function describeUntrusted(revision: string, stderr: string, allowedSigners: string): string {
  const text = stderr
    .trim()
    .split(/[\r\n]+/)
    .join('; ')
    .slice(0, MAX_QUOTED_CHARACTERS);
  if (text === '') return `Commit ${revision} has no SSH signature, which source.allowedSigners requires.`;
  return `No key in ${quote(allowedSigners)} signed commit ${revision}: git reports ${quote(text)}.`;
}
