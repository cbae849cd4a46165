// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what is tested
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../domain/words/quantities.ts';
import { substituteEnvironment } from './substitute-environment.ts';

describe('references to environment variables', () => {
  it('are replaced by exactly the value, regardless of its characters', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[^$]*$/), (value, around) => {
        const result = substituteEnvironment(`${around}\${NAME}${around}\${NAME}`, { NAME: value });
        expect(result).toEqual({ ok: true, text: `${around}${value}${around}${value}`, isSubstituted: true });
      }),
    );
  });

  it.each([
    ['plain text', 'plain text'],
    ['$NAME and $(NAME) and {NAME}', '$NAME and $(NAME) and {NAME}'],
    ['$${NAME}', '${NAME}'],
    ['$$', '$$'],
    ['$$${NAME}', '$${NAME}'],
  ])('are not found in %j', (text, expected) => {
    expect(substituteEnvironment(text, { NAME: 'x' })).toEqual({ ok: true, text: expected, isSubstituted: false });
  });

  it('take an empty value as a value', () => {
    expect(substituteEnvironment('a${EMPTY}b', { EMPTY: '' })).toMatchObject({ text: 'ab' });
  });

  it.each([
    ['${A} ${B} ${A}', 'the environment variable A is not set; the environment variable B is not set'],
    ['${toString}', 'the environment variable toString is not set'],
    ['${A-B}', /^"\$\{" must be followed by the name/],
    ['${A:-default}', /^"\$\{" must be followed by the name/],
    ['${', /^"\$\{" must be followed by the name/],
  ])('are rejected in %j', (text, message) => {
    const result = substituteEnvironment(text, {});
    expect(result).toMatchObject({
      ok: false,
      message: message instanceof RegExp ? expect.stringMatching(message) : message,
    });
  });
});

describe('durations', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['36500d', 3_153_600_000_000],
  ])('%s', (text, expectedMs) => {
    expect(parseDuration(text)).toBe(expectedMs);
  });

  it.each(['', '10', 's', '1.5s', '-1s', '1 s', '1S', '1w', '1s\n', '1s2m', '9999999999s', '１s'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
});
