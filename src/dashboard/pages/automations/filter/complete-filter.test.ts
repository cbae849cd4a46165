import { describe, expect, it } from 'vitest';
import { completeFilter, type PayloadField } from './complete-filter.ts';

const FIELDS: PayloadField[] = [
  { path: ['action'], examples: ['created', 'resolved'] },
  { path: ['data', 'issue', 'level'], examples: ['error', 'fatal'] },
  { path: ['data', 'issue', 'count'], examples: [1, null] },
  { path: ['commits', 'author'], examples: ['ann'] },
  { path: ['action'], examples: ['created', 'opened'] },
];

/** `|` is the cursor. */
function complete(marked: string) {
  const position = marked.indexOf('|');
  const found = completeFilter(marked.replace('|', ''), position, FIELDS);
  return found && { from: found.from, inserts: found.options.map(({ insert }) => insert) };
}

describe('completeFilter', () => {
  it('offers the keys of stored payloads, with braces for objects and brackets for fields', () => {
    expect(complete('{|}')?.inserts).toEqual(['"action": []', '"data": {}', '"commits": {}']);
  });

  it('replaces the started word, with its quote', () => {
    expect(complete('{ "ac|')?.from).toBe(2);
    expect(complete('{ ac|')?.from).toBe(2);
  });

  it('does not offer keys that the object already has', () => {
    expect(complete('{"action": ["created"], |}')?.inserts).toEqual(['"data": {}', '"commits": {}']);
  });

  it('offers the keys below a path, and operators', () => {
    expect(complete('{"data": {"issue": {|')?.inserts).toEqual([
      '"level": []',
      '"count": []',
      '"in": []',
      '"not_in": []',
      '"exists": true',
    ]);
  });

  it('offers only operators after an operator, and only keys after a key', () => {
    expect(complete('{"action": {"in": ["x"], |')?.inserts).toEqual(['"not_in": []', '"exists": true']);
    expect(complete('{"data": {"issue": {"level": ["x"], |')?.inserts).toEqual(['"count": []']);
  });

  it('offers values in a list, also under an operator, except listed values', () => {
    expect(complete('{"data": {"issue": {"level": [|')?.inserts).toEqual(['"error"', '"fatal"']);
    expect(complete('{"data": {"issue": {"level": {"not_in": ["error", "fa|')?.inserts).toEqual(['"fatal"']);
    expect(complete('{"data": {"issue": {"count": [|')?.inserts).toEqual(['1', 'null']);
  });

  it('adds the list around a value if it is missing', () => {
    expect(complete('{"action": |')?.inserts).toEqual(['[]', '["created"]', '["resolved"]', '["opened"]', '{}']);
  });

  it('offers true and false for exists', () => {
    expect(complete('{"action": {"exists": |')?.inserts).toEqual(['true', 'false']);
  });

  it('treats "in" at the root as a key', () => {
    expect(complete('{"in": {|')?.inserts).toEqual(['"in": []', '"not_in": []', '"exists": true']);
  });

  it('offers nothing outside the object', () => {
    expect(complete('|')).toBeNull();
    expect(complete('{} |')).toBeNull();
  });

  it('ignores quotes, brackets and escapes in strings', () => {
    expect(complete('{"a\\"{[": ["}\\\\"], |')?.inserts).toContain('"action": []');
  });
});
