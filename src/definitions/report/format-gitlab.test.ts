import { describe, expect, it } from 'vitest';
import { finding, HOSTILE, makeFactory, makeReport } from '../../../test/helpers/make-report.ts';
import { formatGitlab } from './format-gitlab.ts';
import type { ValidationReport } from './validation-report.ts';

const show = (report: ValidationReport) => JSON.parse(formatGitlab(report)) as { [key: string]: unknown }[];
const fingerprints = (report: ValidationReport) => show(report).map(({ fingerprint }) => fingerprint);

describe('formatGitlab', () => {
  it('has what the code quality report asks for', () => {
    expect(show(makeReport([finding, { ...finding, severity: 'warning', hint: '' }]))).toEqual([
      {
        description: 'The key "authmode" does not exist. Did you mean "authMode"?',
        check_name: 'webhook/unknown-key',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        severity: 'major',
        location: { path: 'webhooks/ci.yaml', lines: { begin: 2 } },
      },
      expect.objectContaining({ severity: 'minor', description: 'The key "authmode" does not exist.' }),
    ]);
  });

  it('is an empty list without findings', () => {
    expect(formatGitlab(makeReport([]))).toBe('[]\n');
  });

  it('keeps the fingerprint of a finding that moved, and gives each its own', () => {
    const moved = { ...finding, line: 20, column: 1 };
    expect(fingerprints(makeReport([finding]))).toEqual(fingerprints(makeReport([moved])));
    const others = [
      { ...finding, rule: 'webhook/wrong-type' },
      { ...finding, file: 'webhooks/b.yaml' },
      { ...finding, path: 'b' },
    ];
    const all = fingerprints(makeReport([finding, moved, ...others]));
    expect(new Set(all).size).toBe(5);
  });

  it('tells findings about whole folders apart, and gives them a path', () => {
    const whole = { ...finding, file: '' };
    const report = makeReport({
      factories: [makeFactory([whole], { folder: 'a/' }), makeFactory([whole], { folder: 'b/' })],
    });
    expect(new Set(fingerprints(report)).size).toBe(2);
    expect(show(report).map(({ location }) => location)).toMatchObject([
      { path: 'a/factory.yaml' },
      { path: 'b/factory.yaml' },
    ]);
  });

  it('writes out what a terminal or a page would obey', () => {
    expect(show(makeReport([{ ...finding, message: HOSTILE }]))[0]!.description).not.toMatch(
      /[\p{Cc}\p{Cf}\p{Cs}\u2028]/u,
    );
  });
});
