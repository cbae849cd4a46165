import { describe, expect, it } from 'vitest';
import { KeyedWindows } from './keyed-windows.ts';

describe('KeyedWindows', () => {
  it('counts each key separately', () => {
    const windows = new KeyedWindows({ limit: 1, windowMs: 1000 });
    expect([windows.admit('a', 0), windows.admit('a', 400), windows.admit('b', 400)]).toEqual([0, 600, 0]);
    expect(windows.admit('a', 1000)).toBe(0);
  });

  it('reports the wait of a key without counting', () => {
    const windows = new KeyedWindows({ limit: 1, windowMs: 1000 });
    expect([windows.waitMs('a', 0), windows.waitMs('a', 0), windows.admit('a', 0)]).toEqual([0, 0, 0]);
    expect(windows.waitMs('a', 100)).toBe(900);
  });

  it('starts to count again when the limit changes', () => {
    let limit = 1;
    const windows = new KeyedWindows({
      get limit() {
        return limit;
      },
      windowMs: 1000,
    });
    windows.admit('a', 0);
    expect(windows.waitMs('a', 0)).toBe(1000);
    limit = 2;
    expect([windows.waitMs('a', 0), windows.admit('a', 0), windows.admit('a', 0)]).toEqual([0, 0, 0]);
    expect(windows.admit('a', 0)).toBe(1000);
  });

  it('forgets the key used longest ago beyond its bound', () => {
    const windows = new KeyedWindows({ limit: 1, windowMs: 1000, maxKeys: 2 });
    for (const key of ['a', 'b', 'a', 'c']) windows.admit(key, 0);
    expect(['a', 'b', 'c'].map((key) => windows.waitMs(key, 0))).toEqual([1000, 0, 1000]);
  });
});
