import { describe, expect, it } from 'vitest';
import { readRawValue } from './raw-value.ts';

const PATH = ['request', 'payload'];
const read = (document: string) => readRawValue(Buffer.from(document), PATH);

describe('the raw text of a value', () => {
  it.each([
    ['{"request":{"payload":{"a":1}}}', '{"a":1}'],
    ['{ "id" : [1, {"payload": 0}] , "request" :\n{"headers": {"x": "}"}, "payload" : [ 1 , 2 ] } }', '[1,2]'],
    [
      '{"request":{"payload":{"n":1.0,"big":1e400,"s":"a  \\u00e9\\" b"}}}',
      '{"n":1.0,"big":1e400,"s":"a  \\u00e9\\" b"}',
    ],
    ['{"request":{"pay\\u006coad":true}}', 'true'],
    ['{"request":{"payload":"ä  b"}}', '"ä  b"'],
  ])('of %s keeps numbers and escapes', (document, expected) => {
    expect(read(document)).toBe(expected);
  });

  it.each([
    '',
    '[]',
    '{}',
    '{"request":null}',
    '{"request":{}}',
    '{"request":{"payload":}}',
    '{"request" {"payload":1}}',
    '{"request":{"payload":{"a"',
  ])('of %s is absent', (document) => {
    expect(read(document)).toBeNull();
  });

  it('is read in one pass, at any depth of what is before it', () => {
    const deep = `${'['.repeat(400)}${']'.repeat(400)}`;
    expect(read(`{"before":${deep},"request":{"payload":{}}}`)).toBe('{}');
  });
});
