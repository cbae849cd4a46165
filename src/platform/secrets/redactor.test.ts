import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { createRedactingTransform, createRedactor, REDACTION_MARK } from './redactor.ts';

const secrets = (...texts: string[]) => texts.map((text) => new SecretValue(text));

function redact(text: string, ...values: string[]): string {
  const redactor = createRedactor();
  for (const value of secrets(...values)) redactor.add(value);
  return redactor.redactText(text);
}

async function pipe(chunks: Buffer[], values: string[]): Promise<Buffer> {
  const transform = createRedactingTransform(secrets(...values));
  const out: Buffer[] = [];
  transform.on('data', (chunk: Buffer) => out.push(chunk));
  for (const chunk of chunks) transform.write(chunk);
  transform.end();
  await new Promise((resolve) => transform.on('end', resolve));
  return Buffer.concat(out);
}

/** Cuts bytes at the given places, which may repeat or lie outside. */
function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index]!, end));
}

describe('text', () => {
  const cases: [name: string, text: string, values: string[], expected: string][] = [
    ['a value is masked at each position', 'hunter22 and hunter22', ['hunter22'], '[redacted] and [redacted]'],
    ['the longest value wins', 'see hunter22-long', ['hunter22', 'hunter22-long'], 'see [redacted]'],
    ['a value inside another masks the outer one', 'xABCDEFx', ['BCDE', 'ABCDEF'], 'x[redacted]x'],
    ['overlapping values leave no rest', 'abcdefghij!', ['abcdef', 'defghij'], '[redacted]!'],
    ['a value that overlaps itself leaves no rest', 'xababax', ['abaa', 'abab', 'baba'], 'x[redacted]x'],
    ['a started longer value does not hide a shorter one', 'abcdefgX', ['abcdefgh', 'cdef'], 'ab[redacted]gX'],
    ['values of three characters stay', 'abc abcd', ['abc'], 'abc abcd'],
    ['a value inside a JSON string is found', String.raw`{"a":"q\"uo\nte"}`, ['q"uo\nte'], '{"a":"[redacted]"}'],
    [
      'the lower-case escapes of Python are found',
      String.raw`{"a":"gr\u00fc\u00dfe \ud83d\ude00"}`,
      ['grüße 😀'],
      '{"a":"[redacted]"}',
    ],
    ['upper-case escapes are found', String.raw`{"a":"gr\u00FC\u00DFe"}`, ['grüße'], '{"a":"[redacted]"}'],
    ['the escapes of Go are found', String.raw`{"a":"ü\u003cv\u003e\u0026\""}`, ['ü<v>&"'], '{"a":"[redacted]"}'],
    ['the escapes of Gson are found', String.raw`{"a":"\u003cit\u0027s\u003d"}`, ["<it's="], '{"a":"[redacted]"}'],
    ['the escapes of .NET are found', String.raw`{"a":"\u003Ca\u002Bb/\u0022"}`, ['<a+b/"'], '{"a":"[redacted]"}'],
    ['the slashes of PHP are found', String.raw`{"a":"a\/b\u00fc, a\/bü"}`, ['a/bü'], '{"a":"[redacted], [redacted]"}'],
    ['each longer line of a value is found', '  first-line-1\n  x', ['first-line-1\nsecond-line'], '  [redacted]\n  x'],
    ['short lines of a value stay', 'a { b', ['{\n"longer-line": 1\n}'], 'a { b'],
    ['text without a value stays', 'nothing here', ['hunter22'], 'nothing here'],
    ['an API token is known by its form', `x/dbk_${'aA0_-'.repeat(8)}abc/y`, [], 'x/[redacted]/y'],
    ['values beyond ASCII are found', 'grüße-aus-köln!', ['grüße-aus-köln'], '[redacted]!'],
  ];
  it.each(cases)('%s', (_name, text, values, expected) => {
    expect(redact(text, ...values)).toBe(expected);
  });

  it('returns text it has nothing to mask in as it was, lone surrogates included', () => {
    expect(redact('x\ud800y', 'hunter22')).toBe('x\ud800y');
  });

  it('masks values that were added after the first use', () => {
    const redactor = createRedactor();
    redactor.add(new SecretValue('first-value'));
    expect(redactor.redactText('second-value')).toBe('second-value');
    redactor.add(new SecretValue('second-value'));
    expect(redactor.redactText('second-value')).toBe(REDACTION_MARK);
  });
});

describe('streams', () => {
  it('finds values at every way of splitting the bytes, and changes nothing else', async () => {
    const value = fc.string({ minLength: 4, maxLength: 8, unit: fc.constantFrom('a', 'b', 'é', '\n') });
    const noise = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'é', 'x', '\n') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(noise, fc.nat()), { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (values, pieces, cuts) => {
          const text = pieces.map(([between, index]) => between + values[index % values.length]).join('');
          const bytes = Buffer.from(text);
          const masked = (await pipe(split(bytes, cuts), values)).toString();
          expect(masked).toBe(redact(text, ...values));
          for (const each of values) expect(masked).not.toContain(each);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('masks exactly the bytes that belong to a value', () => {
    const letters = fc.string({ minLength: 4, maxLength: 6, unit: fc.constantFrom('a', 'b', 'c') });
    const text = fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 5 }), text, (values, input) => {
        const isCovered = [...input].map(() => false);
        for (const value of values) {
          for (let at = input.indexOf(value); at !== -1; at = input.indexOf(value, at + 1)) {
            isCovered.fill(true, at, at + value.length);
          }
        }
        const open = [...input].filter((_, index) => !isCovered[index]).join('');
        expect(redact(input, ...values).replaceAll(REDACTION_MARK, '')).toBe(open);
      }),
      { numRuns: 1000 },
    );
  });

  it('passes bytes that are not text through unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(), { maxLength: 5 }), async (bytes, cuts) => {
        const input = Buffer.from(bytes);
        expect((await pipe(split(input, cuts), ['no-such-value'])).equals(input)).toBe(true);
      }),
    );
  });

  it('gives out in one chunk what cannot become a value', () => {
    const transform = createRedactingTransform(secrets('hunter22'));
    transform.write('working... hunt');
    expect(String(transform.read())).toBe('working... ');
    transform.write('ing');
    expect(String(transform.read())).toBe('hunting');
  });

  it('needs no more memory for a value that repeats without end', { tags: 'full' }, async () => {
    const chunks = Array.from({ length: 200 }, () => Buffer.alloc(65_536, 'a'));
    expect(String(await pipe(chunks, ['a'.repeat(60_000)]))).toBe(REDACTION_MARK);
  });
});
