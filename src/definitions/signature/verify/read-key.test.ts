import { expect, it } from 'vitest';
import { unescapeHtml } from './read-key.ts';

it.each([
  ['a&amp;b', 'a&b'],
  ['&lt;&gt;&quot;', '<>"'],
  ['&#039;&#39;&#x27;&#X0027;', "''''"],
  ['&#60;&#062;&#x3C;&#x3e;&#34;&#38;&#x22;&#x26;', '<><>"&"&'],
  ['&amp;lt;', '&lt;'],
  ['plain & simple; &nbsp; &apos; &#65; &LT; &amp', 'plain & simple; &nbsp; &apos; &#65; &LT; &amp'],
])('decodes %s as WordPress does', (text, decoded) => {
  expect(unescapeHtml(text)).toBe(decoded);
});
