import { describe, expect, it } from 'vitest';
import { finding, makeFactory, makeReport } from '../../../test/helpers/make-report.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { DIAGNOSTIC_FORMATS } from './format-diagnostics.ts';
import { formatPretty } from './format-pretty.ts';

const show = (changes: Partial<Diagnostic>, source = 'a\n  authmode: token\n', color = false) =>
  formatPretty([{ ...finding, ...changes }], { sources: new Map([[changes.file ?? finding.file, source]]), color });

describe('formatPretty', () => {
  it('shows place, message, line, caret, hint and the sum', () => {
    expect(show({})).toBe(
      [
        'webhooks/ci.yaml:2:3 error The key "authmode" does not exist. [webhook/unknown-key]',
        '  2 |   authmode: token',
        '    |   ^^^^^^^^',
        '  hint: Did you mean "authMode"?',
        '',
        '1 error in 1 file',
        '',
      ].join('\n'),
    );
  });

  it('is empty without diagnostics', () => {
    expect(formatPretty([], { sources: new Map(), color: true })).toBe('');
  });

  it('counts errors and warnings', () => {
    const text = formatPretty([finding, { ...finding, severity: 'warning' }, finding], {
      sources: new Map(),
      color: false,
    });
    expect(text).toContain('\n2 errors, 1 warning in 1 file\n');
  });

  it('shows a finding about the whole tree without a place', () => {
    expect(formatPretty([{ ...finding, file: '', hint: '' }], { sources: new Map(), color: false })).toBe(
      'error The key "authmode" does not exist. [webhook/unknown-key]\n\n1 error\n',
    );
  });

  it('puts the caret below wide characters and escaped ones', () => {
    const lines = show({ line: 1, column: 6 }, '"日\x1b": x').split('\n');
    expect(lines[1]).toBe('  1 | "日\\x1b": x');
    expect(lines[2]).toBe(`    | ${' '.repeat('"--\\x1b":'.length)}^`);
  });

  it('shows a part of a long line', () => {
    const text = show({ line: 1, column: 100_001 }, `${'a'.repeat(100_000)}b${'c'.repeat(100_000)}`);
    expect(text.length).toBeLessThan(700);
    expect(text).toContain(`…${'a'.repeat(60)}b${'c'.repeat(59)}…`);
  });

  it('lets no file forge a line or reach the terminal', () => {
    const evil = 'x\x1b[2J\x07\u202e\u2028\r\x9b31m';
    const text = show(
      { file: `webhooks/${evil}\nnothing is wrong.yaml`, message: evil, hint: evil, line: 1, column: 1 },
      evil,
    );
    const lines = text.split('\n');
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/u);
    expect(lines).toHaveLength(7);
    expect(lines[0]).toContain('\\x1b[2J');
    expect(lines[1]).toContain('\\u{202e}');
  });

  it('uses colours only when asked', () => {
    expect(show({})).not.toContain('\x1b');
    expect(show({}, undefined, true)).toContain('\x1b[31merror');
  });
});

describe('DIAGNOSTIC_FORMATS', () => {
  it('is a table of functions from a report to text', () => {
    expect(Object.keys(DIAGNOSTIC_FORMATS)).toEqual(['pretty', 'json', 'github', 'gitlab', 'sarif', 'junit']);
    for (const format of Object.values(DIAGNOSTIC_FORMATS)) expect(format(makeReport([finding]))).toContain('authMode');
  });

  it.each(Object.entries(DIAGNOSTIC_FORMATS))('%s ends with a line break, also without findings', (_, format) => {
    expect(format(makeReport([]))).toMatch(/[^\n]\n$/);
  });
});

it('counts the automations that can start if some cannot', () => {
  const service = { automation: 'a', trigger: 'webhook', servedBy: ['ci'], reason: null, note: null };
  const factory = makeFactory([], { automations: ['a', 'b'], triggers: [service], startable: ['a'] });
  const summarise = (...factories: ReturnType<typeof makeFactory>[]) =>
    DIAGNOSTIC_FORMATS.pretty(makeReport({ factories }));
  expect(summarise(factory)).toBe('Valid: 1 webhook, 2 automations (1 can start here, 1 cannot).\n');
  expect(summarise({ ...factory, startable: ['a', 'b'] })).toBe('Valid: 1 webhook, 2 automations.\n');
});

describe('format json', () => {
  it('is the document of the interfaces page', () => {
    const document = JSON.parse(DIAGNOSTIC_FORMATS.json(makeReport([finding])));
    expect(document).toEqual({
      valid: false,
      root: '/repo',
      diagnostics: [finding],
      webhooks: ['ci'],
      automations: [],
      summary: { webhooks: 1, automations: 0, startable: 0 },
      triggers: [],
    });
    expect(Object.keys(document.diagnostics[0])).toEqual(Object.keys(finding));
  });

  it('says of several folders the same together, and of each what it is', () => {
    const other = { ...finding, file: 'b/webhooks/ci.yaml' };
    const service = {
      automation: 'ask',
      trigger: 'github push',
      servedBy: [],
      reason: 'no webhook serves it',
      note: null,
    };
    const shown = {
      automation: 'ask',
      trigger: 'github push',
      served_by: [],
      reason: 'no webhook serves it',
      note: null,
    };
    const triggers = { automations: ['ask'], triggers: [service], startable: [] };
    const first = makeFactory([], { folder: 'a/', webhooks: ['ci', 'deploys'], ...triggers });
    const second = makeFactory([other], { folder: '', automations: ['triage'] });
    expect(JSON.parse(DIAGNOSTIC_FORMATS.json(makeReport({ factories: [first, second] })))).toEqual({
      valid: false,
      root: '/repo',
      diagnostics: [other],
      webhooks: ['ci', 'deploys'],
      automations: ['ask', 'triage'],
      summary: { webhooks: 3, automations: 2, startable: 0 },
      triggers: [shown],
      factories: [
        {
          dir: 'a',
          valid: true,
          diagnostics: [],
          webhooks: ['ci', 'deploys'],
          automations: ['ask'],
          summary: { webhooks: 2, automations: 1, startable: 0 },
          triggers: [shown],
        },
        {
          dir: '.',
          valid: false,
          diagnostics: [other],
          webhooks: ['ci'],
          automations: ['triage'],
          summary: { webhooks: 1, automations: 1, startable: 0 },
          triggers: [],
        },
      ],
    });
  });
});
