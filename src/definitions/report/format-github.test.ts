import { describe, expect, it } from 'vitest';
import { finding, HOSTILE, makeReport } from '../../../test/helpers/make-report.ts';
import { formatGithub } from './format-github.ts';

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

  it('names files exactly, whatever characters they have', () => {
    const file = 'webhooks/50%, a:b=c%2C::d.yaml';
    const [line] = formatGithub(makeReport([{ ...finding, file }])).split('\n');
    expect(readCommand(line!).properties).toEqual({ file, line: '2', col: '3', title: 'webhook/unknown-key' });
  });

  it('lets no text begin a command of its own, nor reach the terminal', () => {
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
