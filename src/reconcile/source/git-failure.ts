import type { SourceFailed, SourceFailure } from '../../domain/ports/sources.ts';
import { type GitOutcome, MAX_GIT_MEMORY_BYTES } from './git-process.ts';
import { quote } from './printable-text.ts';
import { type RepositoryLocation, redactCredentials } from './repository-url.ts';
import { failed, formatMegabytes, type SourceLimits } from './source-limits.ts';

const MAX_QUOTED_CHARACTERS = 240;

/**
 * git exits with 128 after every failure, so its message (in the C locale) decides which reason is shown. Nothing else
 * depends on the message: after each failure the last good definition stays live, and the fetch is retried. A server
 * chooses these texts, so the expressions have no unbounded repetitions.
 */
const KNOWN_MESSAGES: readonly (readonly [RegExp, SourceFailure, string])[] = [
  [
    /promisor remote|lazy fetching disabled/i,
    'RepositoryUnreachable',
    'The repository %s is a partial clone (--filter) that lacks objects; use a complete clone or the repository that it was cloned from',
  ],
  [/fsckObjects|fsck error|error in (tree|commit|blob|object)/i, 'TreeOdd', 'git rejects objects of the repository %s'],
  [/dubious ownership/i, 'RepositoryRefused', 'The repository %s belongs to another user'],
  [
    /out of memory|cannot allocate memory|packfile .{0,100} cannot be mapped/i,
    'FetchTooLarge',
    `The repository %s needs more memory than git may use (${formatMegabytes(MAX_GIT_MEMORY_BYTES)})`,
  ],
  [
    /error: 30[12378]\b|unable to update url base from redirection/i,
    'RepositoryRefused',
    'The server redirects %s to another address, which Dockbell does not follow; configure the final address',
  ],
  [
    /authentication failed|could not read (username|password)|permission denied|host key verification|error: 40[13]\b/i,
    'RepositoryRefused',
    'The repository %s denies access',
  ],
  [
    /repository (?:'[^'\n]{1,500}' )?not found|does not appear to be a git repository|no such file or directory|error: 404\b/i,
    'RepositoryMissing',
    'No repository exists at %s',
  ],
];

/** Describes the failure of a git command that contacted a repository, in one sentence without credentials. */
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
        `The repository ${location.display} did not respond completely within ${limits.fetchTimeoutMs / 1000} seconds.`,
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
  const [, reason, what] = KNOWN_MESSAGES.find(([pattern]) => pattern.test(stderr)) ?? [
    null,
    'RepositoryUnreachable' as const,
    'The repository %s cannot be reached',
  ];
  // Redacted before it is cut, so that no part of a secret remains.
  const text = pickLine(redactCredentials(stderr, credentials));
  return failed(reason, `${what.replace('%s', () => location.display)}: git reports ${quote(text)}.`);
}

/** The most useful line of git's output: its first error, or the last line. */
function pickLine(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => /^(fatal|error|remote: error)/i.test(candidate)) ?? lines.at(-1);
  return (line ?? 'nothing').trim().slice(0, MAX_QUOTED_CHARACTERS);
}
