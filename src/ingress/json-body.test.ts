import { afterEach, expect, it, vi } from 'vitest';
import { JsonBody } from './json-body.ts';

afterEach(() => vi.restoreAllMocks());

it('is parsed on first use, and only once', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const good = new JsonBody(Buffer.from('{"a":1}'));
  const bad = new JsonBody(Buffer.from('{'));
  expect(parse).not.toHaveBeenCalled();
  for (let i = 0; i < 3; i++) {
    expect(good.value()).toEqual({ a: 1 });
    expect(good.parse()).toEqual({ ok: true, value: { a: 1 } });
    expect(bad.value()).toBeUndefined();
    expect(bad.parse()).toMatchObject({ ok: false, reason: 'invalid_json' });
  }
  expect(parse).toHaveBeenCalledTimes(2);
});
