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
  it('offers the keys of stored payloads, objects with braces and fields with a list', () => {
    expect(complete('{|}')?.inserts).toEqual(['"action": []', '"data": {}', '"commits": {}']);
  });

  it('replaces the word that was begun, with its quote', () => {
    expect(complete('{ "ac|')?.from).toBe(2);
    expect(complete('{ ac|')?.from).toBe(2);
  });

  it('offers no key twice in one object', () => {
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

  it('offers operators alone beside an operator, and keys alone beside a key', () => {
    expect(complete('{"action": {"in": ["x"], |')?.inserts).toEqual(['"not_in": []', '"exists": true']);
    expect(complete('{"data": {"issue": {"level": ["x"], |')?.inserts).toEqual(['"count": []']);
  });

  it('offers values in a list, under an operator too, but none that is listed already', () => {
    expect(complete('{"data": {"issue": {"level": [|')?.inserts).toEqual(['"error"', '"fatal"']);
    expect(complete('{"data": {"issue": {"level": {"not_in": ["error", "fa|')?.inserts).toEqual(['"fatal"']);
    expect(complete('{"data": {"issue": {"count": [|')?.inserts).toEqual(['1', 'null']);
  });

  it('writes the list around a value where none has been opened', () => {
    expect(complete('{"action": |')?.inserts).toEqual(['[]', '["created"]', '["resolved"]', '["opened"]', '{}']);
  });

  it('offers true and false for exists', () => {
    expect(complete('{"action": {"exists": |')?.inserts).toEqual(['true', 'false']);
  });

  it('reads a key called in at the root as a key', () => {
    expect(complete('{"in": {|')?.inserts).toEqual(['"in": []', '"not_in": []', '"exists": true']);
  });

  it('offers nothing outside of the object', () => {
    expect(complete('|')).toBeNull();
    expect(complete('{} |')).toBeNull();
  });

  it('is not confused by quotes, brackets and escapes inside of strings', () => {
    expect(complete('{"a\\"{[": ["}\\\\"], |')?.inserts).toContain('"action": []');
  });
});
