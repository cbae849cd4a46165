import { describe, expect, it } from 'vitest';
import type { ReconciliationResult } from '../../src/domain/applies/reconciliation.ts';
import { CONDITIONS } from '../../src/domain/conditions.ts';
import type { SourceFailure } from '../../src/domain/ports/sources.ts';
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

const RESULTS = { applied: true, unchanged: true, invalid: true, failed: true } satisfies Record<
  ReconciliationResult,
  true
>;

describe('docs/reference/reconciliation.md', () => {
  it('explains every reason that a pass or a condition can have, and no other', () => {
    const source = readDocument('src/reconcile/reconcile-factory.ts');
    const written = [...source.matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)*)'/g)].map((match) => match[1]!);
    const all = new Set([...written, ...Object.keys(CONDITIONS), ...Object.keys(SOURCE_FAILURES)]);
    expect(readFirstColumn(PAGE, 'reasons').sort()).toEqual([...all].sort());
  });

  it('explains every result of a pass', () => {
    for (const result of Object.keys(RESULTS))
      expect(readDocument(PAGE)).toMatch(new RegExp(`^\\| \`${result}\` \\|`, 'm'));
  });

  it('explains every condition', () => {
    for (const [reason, { type }] of Object.entries(CONDITIONS)) {
      expect(readDocument(PAGE)).toMatch(new RegExp(`^\\| \`${type}\` \\| .*\`${reason}\``, 'm'));
    }
  });
});
