import { expect, it } from 'vitest';
import { SCHEMES } from '../../definitions/signature/schemes/schemes.ts';
import { composeSummary, parseSummaryTemplate } from './event-summary.ts';

it('reads a template', () => {
  expect(parseSummaryTemplate('{a.b} · #{c|d.e}')).toEqual([
    { before: '', paths: [['a', 'b']] },
    { before: '#', paths: [['c'], ['d', 'e']] },
  ]);
});

it('reads the template of every scheme', () => {
  const templates = SCHEMES.flatMap(({ summary }) => summary ?? []);
  expect(templates.length).toBeGreaterThan(20);
  for (const template of templates) {
    for (const { paths } of parseSummaryTemplate(template)) expect(paths.flat()).not.toContain('');
  }
});

it('cuts a long value between characters', () => {
  const parts = parseSummaryTemplate('{title}');
  expect(composeSummary(parts, { title: `${'x'.repeat(98)}\u{1f600}\u{1f600}` })).toBe(`${'x'.repeat(98)}…`);
  expect(composeSummary(parts, { title: `${'x'.repeat(97)}\u{1f600}\u{1f600}` })).toBe(`${'x'.repeat(97)}\u{1f600}…`);
});
