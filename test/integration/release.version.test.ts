import { describe, expect, it } from 'vitest';
import { findVersionProblems, readNewestNotes } from '../../scripts/release/check-version.ts';

const CHANGELOG =
  '# Changelog\n\nFor operators.\n\n## Unreleased\n\n- PostgreSQL.\n\n## 0.1.0\n\nNot included: PostgreSQL.\n';

describe('the notes of a release', () => {
  it('are never those of an older section', () => {
    expect(readNewestNotes(CHANGELOG)).toEqual({ heading: 'Unreleased', notes: '- PostgreSQL.\n' });
    expect(findVersionProblems('0.1.0', CHANGELOG)).toEqual([
      'the first section of CHANGELOG.md is "Unreleased", not "0.1.0"',
    ]);
  });

  it('are those of the first section if it has the version', () => {
    const released = CHANGELOG.replace('Unreleased', '0.2.0 (2026-12-01)');
    expect(findVersionProblems('0.2.0', released)).toEqual([]);
    expect(readNewestNotes(released).notes).toBe('- PostgreSQL.\n');
  });

  it('do not exist for an unreleased version', () => {
    expect(findVersionProblems('0.2.0-dev', CHANGELOG)).toContain(
      '0.2.0-dev in package.json is not the version of a release',
    );
  });
});
