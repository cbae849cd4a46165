import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import { isJsonObject } from '../json.ts';
import { scanJson } from './scan-json.ts';
import { WantedKeys } from './wanted-keys.ts';

const KEYS = ['a', 'b', '__proto__', 'constructor', '', 'ä', 'a"\\\n'];
// After some other documents, `JSON.parse` of V8 13.6 reads the key `"\ud800"` as a backslash. `scan-json.test.ts` has it.
const text = anyText({ maxLength: 5 }).filter((one) => !/\p{Surrogate}/u.test(one));
const key = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...KEYS) }, text);

/** Texts that `JSON.stringify` would not write: escapes, exponents, white space, repeated keys. */
const { document } = fc.letrec<{ document: string; object: string; array: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      'null',
      'true',
      'false',
      '0',
      '-0',
      '1',
      '-1.50e+2',
      '1E400',
      '12345678901234567890',
      '0.1',
      '1e-7',
    ),
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.tuple(key, fc.boolean()).map(([text, isEscaped]) => quote(text, isEscaped)),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(key, fc.boolean(), tie('document')), { maxLength: 4 })
    .map(
      (members) =>
        `{${members.map(([name, isEscaped, value]) => `${quote(name, isEscaped)} :\t${value}`).join(' ,')}\n}`,
    ),
  array: fc.array(tie('document'), { maxLength: 4 }).map((elements) => `[ ${elements.join('\r, ')}]`),
}));

function quote(text: string, isEscaped: boolean): string {
  if (!isEscaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

const paths = fc.array(fc.array(fc.constantFrom(...KEYS), { maxLength: 4 }), { maxLength: 6 });

/** The wanted part, taken from what `JSON.parse` built. */
function pick(value: unknown, wanted: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((element) => (Array.isArray(element) ? [] : pick(element, wanted)));
  if (!isJsonObject(value)) return wanted.some((path) => path.length === 0) ? value : null;
  const picked = new Map<string, unknown>();
  for (const [name, child] of Object.entries(value)) {
    const below = wanted.filter(([first]) => first === name).map((path) => path.slice(1));
    if (below.length > 0) picked.set(name, pick(child, below));
  }
  return picked;
}

/** Objects as maps of the keys with a value, so that any keys compare exactly. */
function unfold(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unfold);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return new Map(entries.map(([name, child]) => [name, unfold(child)]));
}

/** With the elements that have no wanted value once and last, at every level. */
function gatherEmpty(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([name, child]) => [name, gatherEmpty(child)]));
  if (!Array.isArray(value)) return value;
  const kinds = new Set(value.map(describeEmpty));
  return [...value.filter((element) => describeEmpty(element) === null).map(gatherEmpty), ...[...kinds].sort()];
}

function describeEmpty(value: unknown): string | null {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'array' : null;
  return value instanceof Map && value.size === 0 ? 'object' : null;
}

test('the scanner accepts exactly what JSON.parse accepts', () => {
  const seen = { valid: 0, invalid: 0 };
  const BITS = [
    '',
    ' ',
    '"',
    '\\',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '0',
    '-',
    '.',
    'e',
    'u',
    'n',
    'null',
    '\u0000',
    '\n',
    '\u00a0',
  ];
  const changed = fc
    .tuple(document, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...BITS)), { maxLength: 3 }))
    .map(([text, edits]) =>
      edits.reduce((all, [at, cut, bit]) => {
        const place = at % (all.length + 1);
        return all.slice(0, place) + bit + all.slice(place + cut);
      }, text),
    );
  fc.assert(
    fc.property(changed, paths, (text, wanted) => {
      const bytes = Buffer.from(text);
      const expected = accepts(bytes.toString());
      expect(scanJson(bytes, null).ok).toBe(expected);
      expect(scanJson(bytes, WantedKeys.of(wanted)).ok).toBe(expected);
      seen[expected ? 'valid' : 'invalid'] += 1;
    }),
    { numRuns: 8_000 },
  );
  expect(seen.valid).toBeGreaterThan(1_000);
  expect(seen.invalid).toBeGreaterThan(1_000);
});

test('the wanted values are those that JSON.parse returns', () => {
  fc.assert(
    fc.property(document, paths, (text, wanted) => {
      const bytes = Buffer.from(text);
      const scan = scanJson(bytes, WantedKeys.of(wanted));
      if (!scan.ok) throw new Error(scan.reason);
      expect(gatherEmpty(unfold(scan.value))).toEqual(gatherEmpty(pick(JSON.parse(text), wanted)));
    }),
    { numRuns: 4_000 },
  );
});

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
