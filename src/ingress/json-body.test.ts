import { expect, it } from 'vitest';
import { measureCpuMs } from '../../test/helpers/measure-cpu.ts';
import { onPayload, received } from '../../test/helpers/payload-filter.ts';
import { ListenerIndex } from '../definitions/filter/listeners/listener-index.ts';
import { WantedKeys } from '../domain/payload/wanted-keys.ts';
import { readJsonBody } from './json-body.ts';

const MAX_BYTES = 262_144;

it.each([
  ['', 'empty_body'],
  [Buffer.from([0x22, 0xc3, 0x22]), 'invalid_utf8'],
  ['{', 'invalid_json'],
  ['['.repeat(513) + ']'.repeat(513), 'too_deep'],
])('gives the reason why a body is not accepted (%j)', (body, reason) => {
  expect(readJsonBody(Buffer.from(body as string), null)).toMatchObject({ ok: false, reason });
});

it.each([
  ['{', 'it ends too early, after 1 bytes'],
  ['{"a":1}}', 'the byte at position 7 is 7D (})'],
  ["{'a':1}", "the byte at position 1 is 27 (')"],
  ['{"a":1,}', 'the byte at position 7 is 7D (})'],
  ['[1 2]', 'the byte at position 3 is 32 (2)'],
  ['{"a" 1}', 'the byte at position 5 is 31 (1)'],
  ['"a\nb"', 'the byte at position 2 is 0A'],
  ['"\\x"', 'the byte at position 2 is 78 (x)'],
  ['"\\u00', 'it ends too early, after 5 bytes'],
  ['nul', 'it ends too early, after 3 bytes'],
  ['tRue', 'the byte at position 1 is 52 (R)'],
  ['1.x', 'the byte at position 2 is 78 (x)'],
  ['NaN', 'the byte at position 0 is 4E (N)'],
  ['\ufeff{}', 'the first bytes are EF BB BF'],
])('says where a body is not valid JSON, however it is read (%j)', (body, detail) => {
  const wanted = WantedKeys.of([['a'], ['b', 'c']]);
  for (const keys of [null, wanted]) expect(readJsonBody(Buffer.from(body), keys)).toMatchObject({ ok: false, detail });
});

/** A document of the largest legal size. */
function fill(open: string, part: (index: number) => string, close: string): Buffer {
  const parts: string[] = [];
  for (let length = open.length + close.length, index = 0; ; index += 1) {
    const text = part(index);
    length += text.length + 1;
    if (length > MAX_BYTES) return Buffer.from(open + parts.join(',') + close);
    parts.push(text);
  }
}

const PLAIN = fill(
  '{"issues":[',
  (id) => `{"id":${id},"title":"An issue with a title","level":"error","a":{"b":"c"}}`,
  ']}',
);

/** `a`, `a.b` and `a.c` are keys that filters read. */
const WORST: Record<string, Buffer> = {
  'objects of different shape': fill('[', (i) => `{"k${i}":${i}}`, ']'),
  'objects of different shape with wanted keys': fill('{"a":[', (i) => `{"k${i}":0,"b":1,"${i}":2,"c":3}`, ']}'),
  'wanted keys in any order': fill('{"a":[', (i) => (i % 2 === 0 ? '{"b":1,"c":2}' : '{"c":1,"b":2}'), ']}'),
  'small wanted objects': fill('{"a":[', () => '{"b":1}', ']}'),
  'wanted numbers': fill('{"a":[', () => '1', ']}'),
  'wanted decimals': fill('{"a":[', () => '1e5', ']}'),
  'different wanted numbers': fill('{"a":[', (i) => String(i), ']}'),
  'wanted strings': fill('{"a":[', () => '""', ']}'),
  'wanted escapes': fill('{"a":[', () => '"\\n"', ']}'),
  'a repeated wanted key': fill('{', () => '"a":1', '}'),
  'an escaped wanted key': fill('{', () => '"\\u0061":1', '}'),
  'many keys': fill('{', (i) => `"${i}":0`, '}'),
  'nested arrays': fill('[', () => '['.repeat(500) + ']'.repeat(500), ']'),
  'nested objects': fill('[', () => `${'{"":'.repeat(500)}1${'}'.repeat(500)}`, ']'),
  'too many nested arrays': Buffer.from('['.repeat(131_072) + ']'.repeat(131_072)),
  'empty objects': fill('[', () => '{}', ']'),
  escapes: Buffer.from(`"${'\\u00e9'.repeat(43_000)}"`),
  'white space': Buffer.from(`${' '.repeat(MAX_BYTES - 2)}{}`),
};

function createListeners(): ListenerIndex {
  const listeners = new ListenerIndex();
  for (let index = 0; index < 100; index += 1) {
    const payloads = [{ a: { b: ['none', index + 1_000], c: { not_in: [index] } } }, { a: [`none ${index}`] }];
    const filters = payloads.map(onPayload);
    listeners.add({ automation: `a${index}`, version: 1, enabled: true, filters });
  }
  return listeners;
}

/** The shortest of several measurements. */
function measure(act: () => void): number {
  return Math.min(...Array.from({ length: 7 }, () => measureCpuMs(act)));
}

/**
 * Times that of checking a plain body. Wanted values are built, and how long that takes in comparison depends on the machine: less
 * than 50 times on one, up to 75 on another. A body of the largest size that takes quadratic time takes thousands of times.
 */
const LIMITS = { checked: 5, evaluated: 120 };

it('takes not much longer for the worst legal body than for a plain one', { tags: 'full' }, () => {
  const listeners = createListeners();
  const evaluate = (body: Buffer) => {
    const read = readJsonBody(body, listeners.wanted);
    if (read.ok) listeners.match(received(read.value));
  };
  const check = (body: Buffer) => readJsonBody(body, null);
  for (const body of Object.values(WORST)) evaluate(body);
  const plain = measure(() => check(PLAIN));
  const ratios = Object.entries(WORST).map(([name, body]) => ({
    name,
    checked: measure(() => check(body)) / plain,
    evaluated: measure(() => evaluate(body)) / plain,
  }));
  const tooSlow = ratios.filter((one) => one.checked > LIMITS.checked || one.evaluated > LIMITS.evaluated);
  expect(tooSlow).toEqual([]);
});
