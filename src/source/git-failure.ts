import type { SourceFailed, SourceFailure } from '../core/ports/definitions/definition-source.ts';
import { type GitOutcome, MAX_GIT_MEMORY_BYTES } from './git-process.ts';
import { quote } from './printable-text.ts';
import { type RepositoryLocation, redactCredentials } from './repository-url.ts';
import { failed, formatMegabytes, type SourceLimits } from './source-limits.ts';

const MAX_QUOTED_CHARACTERS = 240;

/**
 * git ends with 128 whatever happened, so its words (in the C locale) decide which reason is shown. Nothing else hangs
 * on them: every reason keeps the last good definition and is tried again. A server chooses these words, so no expression
 * may look at a place more than once: no repetitions.
 */
const KNOWN_WORDS: readonly (readonly [RegExp, SourceFailure, string])[] = [
  [/fsckObjects|fsck error|error in (tree|commit|blob|object)/i, 'TreeOdd', 'git refuses objects of the repository %s'],
  [/dubious ownership/i, 'RepositoryRefused', 'The repository %s belongs to another user'],
  [
    /out of memory|cannot allocate memory|packfile .{0,100} cannot be mapped/i,
    'FetchTooLarge',
    `The repository %s needs more memory than git may take (${formatMegabytes(MAX_GIT_MEMORY_BYTES)})`,
  ],
  [
    /error: 30[12378]\b|unable to update url base from redirection/i,
    'RepositoryRefused',
    'The server redirects %s to another address, which Dockbell does not follow; configure the final address',
  ],
  [
    /authentication failed|could not read (username|password)|permission denied|host key verification|error: 40[13]\b/i,
    'RepositoryRefused',
    'The repository %s refuses access',
  ],
  [
    /repository (?:'[^'\n]{1,500}' )?not found|does not appear to be a git repository|no such file or directory|error: 404\b/i,
    'RepositoryMissing',
    'There is no repository at %s',
  ],
];

/** Turns the end of a git command that talked to a repository into one readable sentence without credentials. */
export function describeGitFailure(
  outcome: GitOutcome,
  location: RepositoryLocation,
  limits: SourceLimits,
): SourceFailed {
  switch (outcome.kind) {
    case 'exited':
      return describeExit(outcome.stderr, location);
    case 'timeout':
      return failed(
        'FetchTimeout',
        `The repository ${location.display} did not answer in full within ${limits.fetchTimeoutMs / 1000} seconds.`,
      );
    case 'flooded':
      return failed('FetchTooLarge', `The repository ${location.display} has too many branches to list.`);
    case 'aborted':
      return failed('RepositoryUnreachable', `The source ${location.display} is closed.`);
    case 'not-started':
      return failed('RepositoryUnreachable', `${outcome.message}.`);
  }
}

function describeExit(stderr: string, location: RepositoryLocation): SourceFailed {
  const credentials = location.kind === 'remote' ? location.credentials : null;
  const [, reason, what] = KNOWN_WORDS.find(([words]) => words.test(stderr)) ?? [
    null,
    'RepositoryUnreachable' as const,
    'The repository %s cannot be reached',
  ];
  // Redacted before it is cut, so that no half of a secret is left.
  const words = pickWords(redactCredentials(stderr, credentials));
  return failed(reason, `${what.replace('%s', () => location.display)}: git says ${quote(words)}.`);
}

/** The line of git's that says most: its first error, else the last line. */
function pickWords(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => /^(fatal|error|remote: error)/i.test(candidate)) ?? lines.at(-1);
  return (line ?? 'nothing').trim().slice(0, MAX_QUOTED_CHARACTERS);
}
