import { describe, expect, it } from 'vitest';
import { onPayload } from '../../../test/helpers/payload-filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import { KeySightings } from './key-sightings.ts';

function unseenIn(filters: JsonObject[], payloads: unknown[]): string[] {
  const sightings = new KeySightings(filters.map(onPayload));
  for (const payload of payloads) sightings.look(payload);
  return sightings.unseen().map((path) => path.join('.'));
}

describe('KeySightings', () => {
  it.each<[string, JsonObject, unknown[], string[]]>([
    ['a key that is there', { level: ['error'] }, [{ level: 'info' }], []],
    ['a key that is nowhere', { levle: ['error'] }, [{ level: 'error' }, {}], ['levle']],
    ['a key that some payload has', { a: ['x'] }, [{}, { a: null }, {}], []],
    ['a nested key', { data: { issue: { level: ['x'] } } }, [{ data: { issue: {} } }], ['data.issue.level']],
    ['a nested key in objects of an array', { commits: { id: ['x'] } }, [{ commits: [1, { id: 2 }] }], []],
    [
      'a key in an array inside an array, which matching does not enter',
      { a: { b: ['x'] } },
      [{ a: [[{ b: 1 }]] }],
      ['a.b'],
    ],
    ['a key that is asked to be absent', { gone: { exists: false } }, [{}], []],
    ['a key that is asked to be there', { here: { exists: true } }, [{}], ['here']],
    ['a key of which values are excluded', { branch: { not_in: ['main'] } }, [{}], ['branch']],
    ['an empty object pattern', { a: { b: {} } }, [{ a: {} }], ['a.b']],
    ['a name of every object', { constructor: ['x'], __proto__x: ['y'] }, [{}], ['constructor', '__proto__x']],
    ['payloads that are not objects', { a: ['x'] }, [1, null, 'a', [{ a: 1 }]], []],
  ])('reports %s', (_title, filter, payloads, unseen) => {
    expect(unseenIn([filter], payloads)).toEqual(unseen);
  });

  it('asks for a key of several filters once, and for none of a filter that is wrong', () => {
    expect(unseenIn([{ a: ['x'] }, { a: ['y'], b: ['z'] }, { c: [] }], [{}])).toEqual(['a', 'b']);
  });
});
