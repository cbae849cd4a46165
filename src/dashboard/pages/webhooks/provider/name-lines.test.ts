import { describe, expect, it } from 'vitest';
import { formatNames, parseNames, readLines } from './name-lines.ts';

describe('the lines of names', () => {
  it.each([
    ['', {}],
    ['triage = C01\n\n  #ops=C02 ', { triage: 'C01', '#ops': 'C02' }],
    ['fce9ccd5 = 19:a=b@thread.tacv2', { fce9ccd5: '19:a=b@thread.tacv2' }],
    ['triage C01', null],
    ['= C01', null],
    ['triage =', null],
  ])('%j are %j', (text, names) => {
    expect(parseNames(text)).toEqual(names);
  });

  it('are the text of the names', () => {
    expect(parseNames(formatNames({ triage: 'C01', 'Ann Example': 'U01' }))).toEqual({
      triage: 'C01',
      'Ann Example': 'U01',
    });
    expect(formatNames(undefined)).toBe('');
  });

  it('are trimmed, and empty ones are ignored', () => {
    expect(readLines(' bot \n\nother')).toEqual(['bot', 'other']);
  });
});
