import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { decideListener, needPayload } from './decide-listener.ts';

const listener = (filters: JsonObject[], enabled = true) => ({ automation: 'x', enabled, filters });

describe('the decision for an automation', () => {
  it('is that it started if a filter matches or is empty', () => {
    const nothing = { path: null, expected: null, actual: null };
    const filters = [{ level: ['fatal'] }, { level: ['error'] }];
    const matched = { outcome: 'started', message: 'all filter conditions matched', ...nothing };
    expect(decideListener(listener(filters), { level: 'error' })).toEqual(matched);
    const unfiltered = { outcome: 'started', message: 'no filter', ...nothing };
    for (const payload of [null, 1, 'x', [], {}, { level: 'info' }])
      expect(decideListener(listener([{ level: ['fatal'] }, {}]), payload)).toEqual(unfiltered);
  });

  it('names the key of the first filter that decided', () => {
    const both = listener([{ level: ['fatal'] }, { host: ['db'] }]);
    expect(decideListener(both, { level: 'info', host: 'web' })).toEqual({
      outcome: 'filtered',
      path: 'level',
      expected: ['fatal'],
      actual: 'info',
      message: expect.stringContaining('level'),
    });
    expect(decideListener(both, [1])).toMatchObject({ outcome: 'filtered' });
  });

  it('reports a disabled automation', () => {
    expect(decideListener(listener([{}], false), {})).toMatchObject({ outcome: 'disabled', path: null });
  });

  it('reports a filter that cannot be evaluated, if no other matches', () => {
    const broken = { level: [] };
    const error = { outcome: 'filter_error', message: expect.stringContaining('cannot be evaluated') };
    expect(decideListener(listener([broken]), { level: 'fatal' })).toMatchObject(error);
    const alternative = listener([broken, { level: ['fatal'] }]);
    expect(decideListener(alternative, { level: 'fatal' })).toMatchObject({ outcome: 'started' });
    expect(decideListener(alternative, { level: 'info' })).toMatchObject(error);
  });

  it('needs the payload only for a filter of an enabled automation', () => {
    const filter = { level: ['fatal'] };
    expect(needPayload([listener([{}]), listener([filter], false), listener([filter, {}])])).toBe(false);
    expect(needPayload([listener([{}]), listener([filter])])).toBe(true);
  });
});
