import { describe, expect, it } from 'vitest';
import { hasColors } from './colors.ts';

describe('colours', () => {
  const terminal = { isTTY: true } as never;
  const pipe = {} as never;

  it.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', pipe, {}, false],
    ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
    ['a pipe with an empty FORCE_COLOR', pipe, { FORCE_COLOR: '' }, true],
    ['a dumb terminal with FORCE_COLOR', terminal, { TERM: 'dumb', FORCE_COLOR: '1' }, true],
    ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
    ['a pipe with both', pipe, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('on %s', (_what, stream, env, expected) => {
    expect(hasColors(stream, env)).toBe(expected);
  });
});
