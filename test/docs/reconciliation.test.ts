import { describe, expect, it } from 'vitest';
import type { SourceFailure } from '../../src/domain/ports/definitions/definition-source.ts';
import type { ReconciliationResult } from '../../src/domain/reconciliation.ts';
import { describeClockStep, describeRetentionLag } from '../../src/operations/health/clock-conditions.ts';
import { describeDrain } from '../../src/operations/health/describe-drain.ts';
import { describeDatabaseLock } from '../../src/operations/health/storage-conditions.ts';
import {
  describeExecutor,
  describeFailingCredentials,
  describeFailingRuns,
  describeMissingRunSecrets,
  describeNothingStarts,
  describeNotify,
  describeOutcome,
  describeOutsideScope,
  describePushWebhook,
  describeReadiness,
  describeRecordFailure,
  describeRewrite,
  describeStartFailure,
  describeUnconfigured,
  describeUnreadableSecrets,
} from '../../src/reconcile/conditions.ts';
import { readDocument, readFirstColumn } from '../helpers/documents.ts';

const PAGE = 'docs/reference/reconciliation.md';

/** The compiler checks that this list is complete. */
const SOURCE_FAILURES = {
  RepositoryUnreachable: true,
  RepositoryMissing: true,
  RepositoryRefused: true,
  BranchMissing: true,
  FetchTooLarge: true,
  FetchTimeout: true,
  TreeTooLarge: true,
  TreeOdd: true,
  CommitUntrusted: true,
  SignersUnreadable: true,
} satisfies Record<SourceFailure, true>;

const DAY_MS = 86_400_000;
const FAILURE = { since: 0, lastAt: 0, count: 3, reason: null };

const RESULTS = { applied: true, unchanged: true, invalid: true, failed: true } satisfies Record<
  ReconciliationResult,
  true
>;

describe('docs/reference/reconciliation.md', () => {
  it('explains every reason that a pass or a condition can have, and no other', () => {
    const health = ['clock-conditions', 'describe-drain', 'storage-conditions'].map(
      (name) => `operations/health/${name}.ts`,
    );
    const conditions = ['reconcile/conditions.ts', ...health];
    const files = ['reconcile/reconcile-factory.ts', ...conditions];
    const sources = files.map((name) => readDocument(`src/${name}`));
    const types = listConditions().map(({ type }) => type);
    const written = [...sources.join('\n').matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)*)'/g)].map((match) => match[1]!);
    const reasons = written.filter((word) => !types.includes(word) && word !== 'True' && word !== 'False');
    const all = new Set([...reasons, ...Object.keys(SOURCE_FAILURES)]);
    expect(readFirstColumn(PAGE, 'reasons').sort()).toEqual([...all].sort());
  });

  it('explains every result of a pass', () => {
    for (const result of Object.keys(RESULTS))
      expect(readDocument(PAGE)).toMatch(new RegExp(`^\\| \`${result}\` \\|`, 'm'));
  });

  it('explains every condition', () => {
    for (const { type, reason } of listConditions()) {
      expect(readDocument(PAGE)).toMatch(new RegExp(`^\\| \`${type}\` \\| .*\`${reason}\``, 'm'));
    }
  });
});

function listConditions() {
  return [
    describeReadiness('c0ffee', true),
    describeReadiness(null, false),
    describeOutcome(true, 'Applied', ''),
    ...describeExecutor(false),
    ...describeStartFailure({ problem: '', since: 0 }),
    ...describeNothingStarts(1, 0),
    ...describeRecordFailure({ problem: '', since: 0 }),
    ...describeNotify([{ target: 'github a/b', what: '', problem: '', since: 0 }]),
    ...describeRewrite('rewritten', []),
    ...describePushWebhook('gone', () => false),
    describeUnreadableSecrets(['ci'])!,
    describeMissingRunSecrets([{ secret: 'A', automation: 'a' }], 0),
    describeOutsideScope([{ webhook: 'a', secret: 'A' }], 0),
    ...describeFailingCredentials([{ name: 'ci', lastAcceptedAt: null, failure: FAILURE }]),
    ...describeFailingRuns([{ name: 'a', failedInARow: 3, failingSince: 0 }]),
    describeUnconfigured({ name: 'web', attemptedAt: null, conditions: [] }),
    describeDrain({ phase: 'draining', since: 0, executing: 0, held: 0 })!,
    describeDrain({ phase: 'stopping', since: 0, executing: 0, held: 0 })!,
    describeClockStep({ wallMs: 1, expectedMs: 0, remainingMs: 0 })!,
    describeClockStep({ wallMs: 0, expectedMs: 1, remainingMs: 0 })!,
    describeRetentionLag(2 * DAY_MS, 2 * DAY_MS)!,
    describeDatabaseLock({ isForeign: true })!,
  ];
}
