import { describe, expect, it } from 'vitest';
import { finding, HOSTILE, makeFactory, makeReport } from '../../../test/helpers/make-report.ts';
import { formatGithub, formatGitlab } from './format-annotations.ts';
import type { ValidationReport } from './validation-report.ts';

/** What the runner makes of a line that begins with `::`: the command, its properties, its message. */
function readCommand(line: string): { command: string; properties: { [key: string]: string }; message: string } {
  const [, command = '', listed = '', data = ''] = /^::(\S+) (.*?)::(.*)$/.exec(line) ?? [];
  const decodeData = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
  const decodeProperty = (text: string) => decodeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
  const pairs = listed.split(',').map((pair) => [pair.split('=')[0]!, decodeProperty(pair.replace(/^[^=]*=/, ''))]);
  return { command, properties: Object.fromEntries(pairs), message: decodeData(data) };
}

describe('formatGithub', () => {
  it('is a command for each finding and a line for people', () => {
    const warning = { ...finding, severity: 'warning' as const, hint: '' };
    expect(formatGithub(makeReport([finding, warning]))).toBe(
      [
        '::error file=webhooks/ci.yaml,line=2,col=3,title=webhook/unknown-key::The key "authmode" does not exist.%0ADid you mean "authMode"?',
        '::warning file=webhooks/ci.yaml,line=2,col=3,title=webhook/unknown-key::The key "authmode" does not exist.',
        'Invalid: 1 webhook, 0 automations.',
        '',
      ].join('\n'),
    );
  });

  it('gives a finding about the whole folder no place', () => {
    const [line] = formatGithub(makeReport([{ ...finding, file: '' }])).split('\n');
    expect(readCommand(line!).properties).toEqual({ title: 'webhook/unknown-key' });
  });

  it('names files exactly, with any characters', () => {
    const file = 'webhooks/50%, a:b=c%2C::d.yaml';
    const [line] = formatGithub(makeReport([{ ...finding, file }])).split('\n');
    expect(readCommand(line!).properties).toEqual({ file, line: '2', col: '3', title: 'webhook/unknown-key' });
  });

  it('lets no text start another command or reach the terminal', () => {
    const text = formatGithub(makeReport([{ ...finding, file: HOSTILE, message: HOSTILE, hint: HOSTILE }]));
    const lines = text.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.startsWith('::'))).toHaveLength(1);
    expect(readCommand(lines[0]!)).toMatchObject({ command: 'error', properties: { line: '2' } });
    expect(readCommand(lines[0]!).properties.file).toContain(',a:b"');
    expect(readCommand(lines[0]!).message).toContain('x%0A\\r\\n::error::forged\\n');
    expect(lines[0]).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u202e]/u);
  });
});

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

  it('escapes what a terminal or a page would interpret', () => {
    expect(show(makeReport([{ ...finding, message: HOSTILE }]))[0]!.description).not.toMatch(
      /[\p{Cc}\p{Cf}\p{Cs}\u2028]/u,
    );
  });
});
