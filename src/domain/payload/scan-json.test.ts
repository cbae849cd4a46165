import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scanJson } from './scan-json.ts';
import { MAX_JSON_DEPTH } from './skip-json.ts';
import { WantedKeys } from './wanted-keys.ts';

const SUITE = fileURLToPath(new URL('../../../test/vectors/JSONTestSuite/test_parsing/', import.meta.url));
const WANTED = [null, new WantedKeys(), WantedKeys.of([[], ['a'], ['a', 'b'], ['']])];

const scan = (text: string, wanted: WantedKeys | null = null) => scanJson(Buffer.from(text), wanted);
const read = (text: string, ...paths: string[][]) => {
  const result = scan(text, WantedKeys.of(paths));
  return result.ok ? result.value : result.reason;
};

describe('the JSON scanner', () => {
  it('agrees with JSON.parse on every file of JSONTestSuite', () => {
    let examined = 0;
    for (const name of readdirSync(SUITE)) {
      const bytes = readFileSync(join(SUITE, name));
      if (bytes.length === 0 || !isUtf8(bytes)) continue;
      examined += 1;
      for (const wanted of WANTED) expect([name, scanJson(bytes, wanted).ok]).toEqual([name, accepts(bytes)]);
    }
    expect(examined).toBeGreaterThan(250);
  });

  it('agrees with JSON.parse on each document that is cut at any byte', () => {
    const text = '{"a":[1.5e-3,{"b":"\\u00e9\\n","c":[true,false,null]},-0],"":{}} ';
    for (let end = 0; end <= text.length; end++) {
      const bytes = Buffer.from(text.slice(0, end));
      for (const wanted of WANTED) expect([end, scanJson(bytes, wanted).ok]).toEqual([end, accepts(bytes)]);
    }
  });

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"a":', '}]'],
  ])('accepts %s up to the depth limit, with and without wanted keys', (_what, open, close) => {
    const levels = MAX_JSON_DEPTH / (open.length === 6 ? 2 : 1);
    const nest = (count: number) => `${open.repeat(count)}1${close.repeat(count)}`;
    const deepKeys = WantedKeys.of([Array(10).fill('a')]);
    for (const wanted of [...WANTED, deepKeys]) {
      expect(scan(nest(levels), wanted).ok).toBe(true);
      expect(scan(nest(levels + 1), wanted)).toEqual({ ok: false, reason: 'too_deep' });
      // The depth ends with its value: the next may be as deep.
      expect(scan(`[${nest(levels - 1)},${nest(levels - 1)}]`, wanted).ok).toBe(true);
    }
  });

  it('reads the last of several values of a key', () => {
    expect(read('{"a":1,"a":{"b":2},"\\u0061":3}', ['a'])).toEqual({ a: 3 });
    expect(read('{"a":{"b":2},"a":{"c":1}}', ['a', 'b'])).toEqual({ a: {} });
  });

  it('reads only what is wanted', () => {
    expect(read('{"a":{"b":1,"c":2},"d":3}', ['a', 'b'])).toEqual({ a: { b: 1 } });
    expect(read('{"a":[{"b":1,"c":2},7,[{"b":4}],8,{"b":3},{}]}', ['a', 'b'])).toEqual({
      a: [{ b: 1 }, { b: 3 }, null, [], {}],
    });
    expect(read('{"a":[1,"x",{"b":1},[2]]}', ['a'])).toEqual({ a: [1, 'x', {}, []] });
    expect(read('{"a":"x"}', ['a', 'b'])).toEqual({ a: null });
    expect(scan('{"a":1}').ok && scan('{"a":1}')).toEqual({ ok: true, value: undefined });
  });

  it('finds keys by their characters, not by their bytes', () => {
    expect(read('{"\\u00e4":1}', ['ä'])).toEqual({ ä: 1 });
    expect(read('{"ä":1}', ['ä'])).toEqual({ ä: 1 });
    expect(read('{"\\ud800":1}', ['\ud800'])).toEqual({ '\ud800': 1 });
    // UTF-8 writes a lone surrogate as the replacement character, which is another key.
    expect(Object.values(read('{"\ufffd":1}', ['\ud800']) as object)).not.toContain(1);
    // Equal hashes.
    expect(read('{"Aa":1,"BB":2}', ['BB'])).toEqual({ BB: 2 });
  });

  it('reads __proto__ as an ordinary key', () => {
    const value = read('{"__proto__":{"a":1},"a":2}', ['__proto__', 'a'], ['x']) as object;
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ a: 1 });
    expect('a' in value).toBe(false);
  });

  it('wants a key until it was removed as often as added', () => {
    const wanted = WantedKeys.of([['a', 'b'], ['a', 'b'], ['a']]);
    const values = () => scan('{"a":{"b":1},"c":2}', wanted);
    wanted.remove(['a', 'b'], true);
    expect(values()).toEqual({ ok: true, value: { a: { b: 1 } } });
    wanted.remove(['a', 'b'], true);
    expect(values()).toEqual({ ok: true, value: { a: {} } });
    wanted.remove(['a'], true);
    expect([values(), wanted.isLeaf]).toEqual([{ ok: true, value: {} }, true]);
  });

  it('reads objects with more wanted keys than a template has', () => {
    const names = Array.from({ length: 40 }, (_, index) => `k${index}`);
    expect(read('{"k3":1,"k39":[2],"z":0}', ...names.map((name) => [name]))).toEqual({ k3: 1, k39: [2] });
  });
});

function accepts(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}
