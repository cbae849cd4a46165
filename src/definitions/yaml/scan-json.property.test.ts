import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import { scanJson } from './scan-json.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('scanJson', () => {
  it('finds a fault exactly where JSON.parse throws', () => {
    const shard = fc.constantFrom(
      ...'{}[],:"\\ \n\t-+.eE019/*\'u00ff',
      'true',
      'null',
      'NaN',
      '"a"',
      '{"a":',
      '\u0001',
      '\u2028',
    );
    const text = fc.oneof(
      fc.json(),
      fc.array(shard, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (json) => {
        expect(scanJson(json) === null).toBe(parses(json));
      }),
      { numRuns: 5000 },
    );
  });

  it('finds a fault in JSON of which one character was changed, exactly where JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), anyText({ minLength: 0, maxLength: 1 }), (json, at, char) => {
        const cut = at % (json.length + 1);
        const changed = json.slice(0, cut) + char + json.slice(cut + 1);
        expect(scanJson(changed) === null).toBe(parses(changed));
      }),
      { numRuns: 3000 },
    );
  });

  it('visits every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        let visited = 0;
        const count = (node: unknown): number =>
          typeof node === 'object' && node !== null
            ? 1 + Object.values(node).reduce((sum: number, child) => sum + count(child), 0)
            : 1;
        scanJson(JSON.stringify(value), () => visited++);
        expect(visited).toBe(count(JSON.parse(JSON.stringify(value))));
      }),
    );
  });

  it('needs no stack for 100,000 arrays inside each other', () => {
    const deep = '['.repeat(100_000);
    expect(scanJson(deep + ']'.repeat(100_000))).toBeNull();
    expect(scanJson(deep)).toEqual({ offset: 100_000, message: 'Expected a value or "]".' });
  });
});
