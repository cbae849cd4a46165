import { describe, expect, it } from 'vitest';
import { checkSignature, listNamedHeaders } from './check-signature.ts';

describe('a signature block outside a file', () => {
  it('is taken where a webhook file could hold it, weak or not', () => {
    const block = { header: 'X-S', algorithm: 'hmac-sha1' };
    expect(checkSignature('custom', JSON.stringify(block, null, 2))).toEqual({ ok: true, signature: block });
    expect(checkSignature('grafana', '{"header":"X-S"}').ok).toBe(true);
  });

  it.each([
    ['custom', 'null', 'not a JSON object'],
    ['custom', '{"header"', 'not a JSON object'],
    ['custom', '{"heder":"X-S"}', 'Unknown key "heder"'],
    ['custom', '{"header":1}', 'must be'],
    ['custom', '{}', 'does not name the location'],
    ['custom', '{"header":"X-S","content":"{id}"}', 'idHeader is not set'],
    ['custom', '{"header":"X-S","jsonPath":["a"]}', 'only one of them'],
    ['custom', '{"header":"X-S","labelSeparator":"="}', 'label is not'],
    ['custom', '{"header":"X-S","keyPrefix":"a"}', 'not base64 or hex'],
    ['custom', '{"header":"X-S","timestamp":{}}', 'exactly one place'],
    ['custom', '{"header":"X-S","timestamp":{"header":"X-T","toleranceSeconds":0}}', '>= 1'],
    ['github', '{"header":"X-S"}', 'not custom'],
  ])('under %s is rejected: %s', (scheme, text, says) => {
    expect(checkSignature(scheme, text)).toMatchObject({ ok: false, message: expect.stringContaining(says) });
  });
});

it('names the headers that must not name a delivery', () => {
  const signature = { header: ['X-A', 'X-B'], timestamp: { header: 'X-T' }, idHeader: 'X-Id' };
  expect(listNamedHeaders({ signature })).toEqual(['x-a', 'x-b', 'x-t']);
  for (const invalid of [null, [], { signature: 1 }, { signature: { header: 1, timestamp: [] } }]) {
    expect(listNamedHeaders(invalid)).toEqual([]);
  }
});
