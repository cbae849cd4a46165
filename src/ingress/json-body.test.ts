import { afterEach, expect, it, vi } from 'vitest';
import { JsonBody } from './json-body.ts';

afterEach(() => vi.restoreAllMocks());

it('is parsed when it is asked for, and once', () => {
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

it.each([
  [Buffer.alloc(0), 'empty_body'],
  [Buffer.from([0x22, 0xff, 0x22]), 'invalid_utf8'],
  [Buffer.from('\ufeff{}'), 'invalid_json'],
])('says why it is none', (body, reason) => {
  expect(new JsonBody(body).parse()).toMatchObject({ ok: false, reason });
});
