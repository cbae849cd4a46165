import { describe, expect, it } from 'vitest';
import { parseContent } from './parse-content.ts';

describe('a content template', () => {
  it.each([
    ['{body}', [{ part: 'body' }]],
    [
      'v0:{timestamp}:{body}',
      [{ part: 'text', text: 'v0:' }, { part: 'timestamp' }, { part: 'text', text: ':' }, { part: 'body' }],
    ],
    [
      '{header:X-A}{json:a.b}{form:f}',
      [
        { part: 'header', name: 'X-A' },
        { part: 'json', path: ['a', 'b'] },
        { part: 'form_field', name: 'f' },
      ],
    ],
    ['{id}{method}{url}', [{ part: 'identity' }, { part: 'method' }, { part: 'url', decodes: [] }]],
    ['{{{body}}}', [{ part: 'text', text: '{' }, { part: 'body' }, { part: 'text', text: '}' }]],
    ['ł', [{ part: 'text', text: 'Å\u0082' }]],
  ])('%j is read part by part', (template, parts) => {
    expect(parseContent(template)).toEqual({ ok: true, parts });
  });

  it.each(['', '{', '}', '{bdy}', '{body', '{}', '{header}', '{header:}', '{body:x}', '{Body}', '{ body }'])(
    '%j is rejected with the known parts',
    (template) => {
      expect(parseContent(template)).toMatchObject({ ok: false, hint: expect.stringContaining('{header:NAME}') });
    },
  );
});
