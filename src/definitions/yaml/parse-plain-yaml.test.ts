import { describe, expect, it } from 'vitest';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../../../test/helpers/seeded-random.ts';
import type { KeyPath } from './key-path.ts';
import { parsePlainYaml } from './parse-plain-yaml.ts';
import { parseAnyYaml } from './parse-yaml.ts';
import { createPositions } from './positions.ts';

describe('Plain YAML', () => {
  it.each([
    ['a: b\n', { a: 'b' }],
    ['a: b c # comment', { a: 'b c' }],
    ['# comment\n\na:\n  b: [x, 1, true, null, "y, z", \'#\']\n', { a: { b: ['x', 1, true, null, 'y, z', '#'] } }],
    ['a:\n- b: -7\n  c: {d: {e: []}}\n- f\n', { a: [{ b: -7, c: { d: { e: [] } } }, 'f'] }],
    ['a.b-c: https://example.com/?q=1#x\nd: say "x"', { 'a.b-c': 'https://example.com/?q=1#x', d: 'say "x"' }],
  ])('includes %j', (text, value) => {
    expect(parsePlainYaml(text)?.value).toEqual(value);
  });

  it.each([
    '',
    '- a',
    '[a]',
    'a:',
    'a: b\n c',
    'a: |\n  b',
    'a: &x b',
    'a: !!str b',
    'a: "\\n"',
    "a: 'b''c'",
    'a: b: c',
    'a: 1.5',
    'a: 0x1f',
    'a: 012',
    'a: True',
    'a: ~',
    'a: -0',
    'a: [b\n]',
    'a: [b: c]',
    '1: a',
    'null: a',
    '"a": b',
    'a: 1\na: 2',
    'a: 1\n b: 2',
    '__proto__: a',
    '<<: a',
    'a:\tb',
    'a: b\r\n',
    'a: \u2028',
    '---\na: b',
    'a: b\n...\n',
  ])('does not include %j', (text) => {
    expect(parsePlainYaml(text)).toBeNull();
  });

  it('is parsed in linear time', () => {
    const size = 100_000;
    const texts = [
      `a: ${'b '.repeat(size)}`,
      `a: b${' '.repeat(size)}c${' '.repeat(size)}`,
      `a: [${'b, '.repeat(size)}c]`,
      `a: ${'['.repeat(size)}`,
      `a: ${'b:'.repeat(size)}`,
      `a: "${'b'.repeat(size)}`,
      Array.from({ length: size }, (_, i) => `k${i}: 1`).join('\n'),
      `a:\n${'- b\n'.repeat(size)}`,
      `${' #\n'.repeat(size)}a: b`,
    ];
    const begun = process.cpuUsage();
    for (const text of texts) parsePlainYaml(text);
    expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
  });
});

// biome-ignore format: many short texts
const SCALARS = [
  'a', 'x y', '1', '-7', '0', 'true', 'null', '"q, r"', "'s: t'", '[a, b]', '{a: 1, b: [c]}', 'https://x.y/z#a', '[]',
  'a #b', 'a#b', 'a: b', 'a:b', 'it"s', "it's", "''", "'it''s'", '"a\\n"', '"q" r', '"q"#c', '[a] b', '[a]#c', '[a,b]',
  '[ a , b ]', '[a, ]', '[a: b]', '[a:b]', '{a}', '{a:b}', '{a: }', '{a: b:c}', '{"a": 1}', '{1: a}', '[[a], [{b: 1}]]',
  'True', '~', '01', '-0', '1.5', '1a', '1e3', '0x1f', '.inf', '2024-01-01', '12345678901234567', '-', '- a', '-a', '?',
  '|', '>', '&a x', '*a', '!x', '<<', '@x', '%x', '`x`', ':', 'x:', ', x', 'x,', 'ü', '\u2028', '\ud83d', '\t', '\ufeff',
];
const PLAIN_SCALARS = SCALARS.slice(0, 14);
const KEYS = ['null', '1', '"q"', 'a b', '<<', '__proto__', '-', '?', 'A', 'True', 'a'];

/** Writes maps and lists with mistakes here and there, so that about a sixth of the texts are plain. */
class TextWriter {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = createSeededRandom(seed);
  }

  write(depth = 0, indent = 0): string {
    const isList = this.#random.next() < 0.35;
    const lines = Array.from({ length: this.#random.integer(1, 5) }, (_, index) => {
      const begin = this.#rarely(['# comment\n', '\n', '   # c\n']) + ' '.repeat(this.#vary(indent));
      return begin + (isList ? this.#writeEntry(depth, indent) : this.#writePair(index, depth, indent));
    });
    return lines.join('');
  }

  #writeEntry(depth: number, indent: number): string {
    const spaces = this.#vary(1);
    const dash = `-${' '.repeat(spaces)}`;
    if (depth === 3 || this.#random.next() < 0.5) return dash + this.#writeScalar() + this.#writeEnd();
    return dash + this.write(depth + 1, indent + 1 + spaces).slice(indent + 1 + spaces);
  }

  #writePair(index: number, depth: number, indent: number): string {
    const key = this.#rarely(KEYS) || ['a', 'b-c', 'd.e', 'provider', 'f_1'][index]!;
    if (depth === 3 || this.#random.next() < 0.55) {
      return `${key}:${' '.repeat(this.#vary(1))}${this.#writeScalar()}${this.#writeEnd()}`;
    }
    return `${key}:${this.#rarely([' ', ' # c'])}\n${this.write(depth + 1, indent + this.#random.pick([2, 2, 4, 0]))}`;
  }

  #writeScalar(): string {
    return this.#random.pick(this.#random.next() < 0.85 ? PLAIN_SCALARS : SCALARS);
  }

  #writeEnd(): string {
    return this.#rarely([' # c\n', '#c\n', '  \n', '\n\n', '\r\n', ' ', '\n---\n']) || '\n';
  }

  #rarely(texts: readonly string[]): string {
    return this.#random.next() < 0.05 ? this.#random.pick(texts) : '';
  }

  #vary(count: number): number {
    return this.#random.next() < 0.04 ? Math.max(0, count + this.#random.pick([-1, 1, 2])) : count;
  }
}

/** The paths of all values, and for each of them paths that do not exist. */
function listPaths(value: unknown, path: KeyPath = []): KeyPath[] {
  const below = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const steps = below.map(([key, child]) => [Array.isArray(value) ? Number(key) : key, child] as const);
  return [path, [...path, 'none'], [...path, 99], ...steps.flatMap(([key, child]) => listPaths(child, [...path, key]))];
}

it('Plain YAML has the values and positions that the YAML library finds', () => {
  const [firstSeed, count] = [chooseSeed(), 20_000];
  let parsed = 0;
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const text = new TextWriter(seed).write();
    const plain = parsePlainYaml(text);
    if (plain === null) continue;
    parsed++;
    const any = parseAnyYaml(text, 3);
    const name = `seed ${seed}: ${JSON.stringify(text)}`;
    if (!any.ok) throw new Error(`the library rejects ${name}`);
    expect(plain.value, name).toStrictEqual(any.yaml.value);
    const toPosition = createPositions(text, 3);
    for (const path of listPaths(plain.value)) {
      const { key, value } = plain.locate(path);
      expect({ key: toPosition(key), value: toPosition(value) }, name).toEqual(any.yaml.locate(path));
    }
  }
  expect(parsed / count).toBeGreaterThan(0.1);
});
