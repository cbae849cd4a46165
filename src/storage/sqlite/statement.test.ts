import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mapColumns } from '../sql/schema/columns.ts';
import { prepareInsertMany, prepareNamed } from './statement.ts';

interface Parcel {
  name: string;
  fragile: boolean;
}

const PARCELS = mapColumns<Parcel>()({
  name: { codec: 'text', column: 'label' },
  fragile: { codec: 'boolean', column: 'is_fragile' },
});

describe('prepared statements', () => {
  let db: Database.Database;
  beforeEach(() => {
    db = new Database(':memory:');
    db.exec('CREATE TABLE parcels (label TEXT UNIQUE, is_fragile INTEGER) STRICT');
  });
  afterEach(() => db.close());

  it('binds parameters by name, in any order and more than once', () => {
    const insert = prepareNamed<{ label: string; isFragile: number }>(
      db,
      'INSERT INTO parcels (is_fragile, label) VALUES (@isFragile, @label)',
    );
    insert.run({ label: 'glasses', isFragile: 1 });
    const find = prepareNamed<{ text: string }, { is_fragile: number }>(
      db,
      'SELECT is_fragile FROM parcels WHERE label = @text AND lower(label) = @text',
    );
    expect(find.get({ text: 'glasses' })).toEqual({ is_fragile: 1 });
    expect(find.get({ text: 'books' })).toBeUndefined();
  });

  it('throws if a parameter is missing', () => {
    const find = prepareNamed<{ label?: string }>(db, 'SELECT * FROM parcels WHERE label = @label');
    expect(() => find.get({})).toThrow(TypeError);
  });

  it.each([0, 1, 16, 37])('inserts %i rows with consecutive numbers', (count) => {
    db.exec('CREATE TABLE numbered (seq INTEGER PRIMARY KEY, label TEXT, is_fragile INTEGER) STRICT');
    const rows = Array.from({ length: count }, (_, index) => ({ name: `parcel ${index}`, fragile: index % 3 === 0 }));
    prepareInsertMany(db, 'numbered', PARCELS, 'seq')(rows, 5);
    prepareInsertMany(db, 'parcels', PARCELS)(rows);
    const expected = rows.map(({ name, fragile }, index) => [5 + index, name, fragile ? 1 : 0]);
    expect(db.prepare('SELECT * FROM numbered ORDER BY seq').raw().all()).toEqual(expected);
    expect(db.prepare('SELECT * FROM parcels').raw().all()).toEqual(expected.map((row) => row.slice(1)));
  });
});
