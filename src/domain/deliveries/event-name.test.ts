import { describe, expect, it } from 'vitest';
import { composeEventName } from './event-name.ts';

describe('the name of an event', () => {
  it.each([
    ['is the header and the value, joined by a dot', 'pull_request', 'opened', 'pull_request.opened'],
    ['is one of them if the other is absent', 'push', undefined, 'push'],
    ['is the value alone', undefined, 'invoice.paid', 'invoice.paid'],
    ['can be a number', undefined, 4, '4'],
    ['has no outer white space', ' push ', ' done\t', 'push.done'],
    ['is absent if nothing remains', '', null, null],
    ['never has the text of an object', 'push', { a: 1 }, 'push'],
    ['omits control characters and line breaks', 'push', 'a\nb', 'push'],
    ['omits characters that turn the direction of a text', 'push', '\u202eabc', 'push'],
    ['omits what is too long', 'push', 'x'.repeat(101), 'push'],
  ])('%s', (_what, header, value, name) => {
    expect(composeEventName(header, value)).toBe(name);
  });
});
