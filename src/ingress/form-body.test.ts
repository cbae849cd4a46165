import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/helpers/any-text.ts';
import { LINEAR_GROWTH, measureGrowth } from '../../test/helpers/measure-growth.ts';
import { MAX_FORM_FIELDS, readFormBody } from './form-body.ts';
import { readJsonBody } from './json-body.ts';

const ANY = { jsonField: null, signedFields: null };
const TYPE = 'application/x-www-form-urlencoded';

function read(form: string | Buffer, signedFields: string[] | null = null, jsonField: string | null = null): unknown {
  const found = readFormBody(Buffer.from(form as string), { jsonField, signedFields }, TYPE);
  return found.ok ? found.json.toString() : found;
}

describe('a form', () => {
  it.each([
    ['a=1&b=two+words%21', '{"a":"1","b":"two words!"}'],
    ['a=1&b=x&a=2&a=', '{"b":"x","a":["1","2",""]}'],
    ['a&=b&&c=', '{"a":"","":"b","c":""}'],
    ['a=b=c', '{"a":"b=c"}'],
    ['__proto__=1&constructor=2&__proto__=3', '{"__proto__":["1","3"],"constructor":"2"}'],
    ['t=%C5%BC%00%0A', '{"t":"\u017c\\u0000\\n"}'],
    ['&', '{}'],
    ['payload=%7B%22a%22%3A1e400%7D', '{"a":1e400}'],
    ['payload=+%5B1%5D', ' [1]'],
    ['payload=text', '{"payload":"text"}'],
    ['payload=%7B%7D&x=1', '{"payload":"{}","x":"1"}'],
    ['payload=%7B%7D&payload=%7B%7D', '{"payload":["{}","{}"]}'],
  ])('%s is the JSON %s', (form, json) => {
    const expected = JSON.parse(json.replaceAll('1e400', '1')) as Record<string, unknown>;
    const found = read(form) as string;
    expect(JSON.parse(found.replaceAll('1e400', '1'))).toEqual(expected);
    expect(Object.keys(JSON.parse(found) as object).sort()).toEqual(Object.keys(expected).sort());
  });

  it('keeps the exact text of the field payload', () => {
    expect(read('payload=%7B%22a%22%3A+1e400%7D')).toBe('{"a": 1e400}');
  });

  it.each([
    ['', 'empty_body'],
    ['a=%', 'invalid_form'],
    ['a=%4', 'invalid_form'],
    ['%zz=1', 'invalid_form'],
    ['a=%FF', 'invalid_utf8'],
    ['a=%C0%80', 'invalid_utf8'],
    [Buffer.from([0x61, 0x3d, 0xff]), 'invalid_utf8'],
    ['a=1&'.repeat(MAX_FORM_FIELDS + 1), 'invalid_form'],
  ])('%s is rejected as %s', (form, reason) => {
    expect(read(form)).toMatchObject({ ok: false, reason });
  });

  it.each(['application/json', 'multipart/form-data; boundary=x'])('is not looked for in %s', (type) => {
    expect(readFormBody(Buffer.from('a=1'), ANY, type)).toMatchObject({ ok: false, reason: 'unexpected_content_type' });
  });

  it('is the JSON of the field that the webhook names, regardless of other fields', () => {
    expect(read('ts=1&events=%5B%7B%7D%5D&b', null, 'events')).toBe('[{}]');
    expect(read('a%5B=true', null, 'a[')).toBe('true');
    expect(read('payload=%7B%7D&events=1', null, 'events')).toBe('1');
  });

  it.each([
    ['payload=%7B%7D', 'the field "events" is missing'],
    ['events=1&events=2', 'the field "events" occurs more than once'],
  ])('%s is rejected if the webhook names another field', (form, detail) => {
    expect(read(form, null, 'events')).toEqual({ ok: false, reason: 'missing_form_field', detail });
  });

  it('is not looked for in a field that the signature does not cover', () => {
    expect(read('payload=%7B%7D&events=1', ['payload'], 'events')).toMatchObject({ reason: 'missing_form_field' });
  });

  it('has only the fields that the signature covers, as its verifier reads them', () => {
    expect(read('payload=%7B%7D&x=1&payload', ['payload'])).toBe('{}');
    expect(read('x=1&%70ayload=%7B%7D', ['payload'])).toBe('{}');
    expect(read('x=1', ['payload'])).toBe('{}');
  });

  it('is read as URLSearchParams reads it', () => {
    const text = anyText({ maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }), (pairs) => {
        fc.pre(pairs.some(([name]) => name !== 'payload'));
        const form = new URLSearchParams(pairs);
        const fields = [...new Set(form.keys())].map((name) => {
          const values = form.getAll(name);
          return [name, values.length === 1 ? values[0] : values] as const;
        });
        expect(JSON.parse(read(form.toString()) as string)).toEqual(Object.fromEntries(fields));
      }),
      { numRuns: 300 },
    );
  });

  it('takes linear time', () => {
    for (const part of ['a=1&', 'a=%00', '%', '&', '+', '=', 'payload=%7B']) {
      const act = (length: number) =>
        void readFormBody(Buffer.from(part.repeat(Math.floor(length / part.length))), ANY, TYPE);
      expect(measureGrowth(65_536, act), part).toBeLessThan(LINEAR_GROWTH);
    }
  });

  it('with invalid JSON in payload is rejected where JSON is read', () => {
    const found = readFormBody(Buffer.from('payload=%7B'), ANY, TYPE);
    expect(found.ok && readJsonBody(found.json, null)).toMatchObject({ ok: false, reason: 'invalid_json' });
  });
});
