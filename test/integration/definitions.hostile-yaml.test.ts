import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { validateFiles } from '../helpers/definition-tree.ts';
import { measureCpuMs } from '../helpers/measure-cpu.ts';

interface SuiteCase {
  id: string;
  name: string;
  yaml: string;
}

const SUITE = new URL('../vectors/yaml-test-suite/cases.jsonl', import.meta.url);
const cases = readFileSync(SUITE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as SuiteCase);

const SIZE = 262_144 - 60;
const repeat = (text: string) => text.repeat(Math.floor(SIZE / text.length));
const number = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('\n');

/** Texts within 256 KiB that cost a careless parser minutes, gigabytes or its stack. */
const BOMBS: { [title: string]: string } = {
  'flow lists inside each other': repeat('['),
  'flow maps inside each other': repeat('{a: '),
  'block lists inside each other': repeat('- '),
  'explicit keys inside each other': repeat('? '),
  'explicit keys in flow lists': repeat('[? '),
  'values without keys inside each other': repeat(': '),
  'block maps inside each other': number(700, (i) => `${' '.repeat(i)}a:`),
  'a billion laughs': `a: &a [${'x,'.repeat(9)}]\n${number(7, (i) => `${'bcdefgh'[i]}: &${'bcdefgh'[i]} [${`*${'abcdefg'[i]},`.repeat(9)}]`)}`,
  'merge keys that double': `x0: &x0 {a: 1}\n${number(45, (i) => `x${i + 1}: &x${i + 1} {<<: [*x${i}, *x${i}]}`)}`,
  'a merge key in its own value': 'a: &a {b: {<<: *a}}',
  'an alias to thousands of aliases': `${number(4000, (i) => `- &a${i} x`)}\n- &b [${Array.from({ length: 4000 }, (_, i) => `*a${i}`)}]\n- *b`,
  'thousands of keys': number(20_000, (i) => `k${i}: 1`),
  'thousands of documents': repeat('---\n'),
  'thousands of quotes': repeat('"'),
  'a long key': `${repeat('a')}: 1`,
  'a long text': `secretName: "${repeat('a')}"`,
  'zero bytes': repeat('\0'),
};

/** More of them, which take longer than all others together. */
const LONG_BOMBS: { [title: string]: string } = {
  'a hundred uses of a long list': `a: &a [${'x,'.repeat(100_000)}]\nb: [${'*a,'.repeat(100)}]`,
  'thousands of equal keys': repeat('a: 1\n'),
  'thousands of mistakes in one list': `[${repeat(',')}`,
  'thousands of closing brackets': repeat(']'),
  'thousands of directives': repeat('%\n'),
  'thousands of comments': repeat('#\n'),
  'thousands of block scalars': repeat('- |\n'),
  'thousands of anchors and aliases': number(9000, (i) => `- &a${i} x\n- *a${i}`),
  'thousands of tags on one value': repeat('! '),
  'thousands of anchors on one value': repeat('&a '),
};

/** A harmless text of that size, and one of those that take the longest. */
const LONG_LIST = `a: [${'x,'.repeat(100_000)}]`;

const places: [string, (yaml: string) => { [path: string]: string }][] = [
  ['webhooks/case.yaml', (yaml) => ({ 'webhooks/case.yaml': yaml })],
  ['automations/case/automation.md', (yaml) => ({ 'automations/case/automation.md': `---\n${yaml}\n---\nDo it.\n` })],
];

describe('hostile YAML', () => {
  let limitMs: number;
  beforeAll(() => {
    const longListMs = measureCpuMs(() => validateFiles({ 'webhooks/case.yaml': LONG_LIST }));
    // On a slow machine, a text may take as long as a harmless one does there.
    limitMs = Math.max(2000, 2.5 * longListMs);
  });

  let spies: MockInstance[];
  beforeEach(() => {
    spies = [
      vi.spyOn(process, 'emitWarning'),
      vi.spyOn(process.stderr, 'write'),
      vi.spyOn(process.stdout, 'write'),
      vi.spyOn(console, 'warn'),
    ];
  });
  afterEach(() => vi.restoreAllMocks());

  const expectQuiet = () => {
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  };

  it('is read from the 402 cases of the YAML test suite', () => expect(cases).toHaveLength(402));

  it.each(places)('no case of the YAML test suite is a definition at %s, and all together are fast', (file, place) => {
    const cpuMs = measureCpuMs(() => {
      for (const { id, name, yaml } of cases) {
        const { definition, diagnostics } = validateFiles(place(yaml));
        expect(definition, `${id} ${name}`).toBeNull();
        expect(
          diagnostics.some((found) => found.severity === 'error' && found.file === file && found.line >= 1),
          `${id} ${name}`,
        ).toBe(true);
      }
    });
    expectQuiet();
    expect(cpuMs).toBeLessThan(10_000);
  });

  const expectBounded = (files: { [path: string]: string }) => {
    let validated: ReturnType<typeof validateFiles>;
    const cpuMs = measureCpuMs(() => {
      validated = validateFiles(files);
    });
    const { definition, diagnostics } = validated!;
    expect(definition).toBeNull();
    expect(diagnostics.length).toBeLessThanOrEqual(102);
    const [file] = Object.keys(files);
    expect(diagnostics.every((found) => found.file === file && found.line >= 1 && found.column >= 1)).toBe(true);
    expect(cpuMs).toBeLessThan(limitMs);
    expectQuiet();
  };

  it.each(Object.entries(BOMBS))('%s end within 2 seconds in an error that names the file', (_, yaml) => {
    expectBounded({ 'webhooks/case.yaml': yaml });
  });

  it.each(Object.entries(LONG_BOMBS))('%s end within 2 seconds, too', { tags: 'full' }, (_, yaml) => {
    expectBounded({ 'webhooks/case.yaml': yaml });
  });

  it.each(['flow lists inside each other', 'a billion laughs', 'merge keys that double', 'thousands of keys'])(
    '%s end within 2 seconds as front matter, too',
    (title) => expectBounded({ 'automations/case/automation.md': `---\n${BOMBS[title]}\n---\nDo it.\n` }),
  );

  it('YAML of 10 MB is rejected because of its size', () => {
    const { definition, diagnostics } = validateFiles({ 'webhooks/case.yaml': 'a'.repeat(10_485_760) });
    expect(definition).toBeNull();
    expect(diagnostics.map(({ rule, file }) => `${file} ${rule}`)).toEqual(['webhooks/case.yaml file/too-large']);
  });

  it('5,000 automations are validated in seconds', { tags: 'full' }, () => {
    const automations = Array.from({ length: 5000 }, (_, i) => [
      `automations/a${i}/automation.md`,
      `---\ntriggers:\n  - provider: webhook\n    event: received\n    filter:\n      webhooks: [ci]\n      payload: {n: [${i}], data: {level: [error], tag: {not_in: [x]}}}\n---\n\nDo ${i}.\n`,
    ]);
    let validated: ReturnType<typeof validateFiles>;
    const cpuMs = measureCpuMs(() => {
      validated = validateFiles({ 'webhooks/ci.yaml': 'secretName: A\n', ...Object.fromEntries(automations) });
    });
    const { definition, diagnostics } = validated!;
    expect(cpuMs).toBeLessThan(15_000);
    expect(diagnostics).toEqual([]);
    expect(definition?.automations).toHaveLength(5000);
  });
});
