import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mapColumns } from '../sql/schema/columns.ts';
import { prepareInsert, prepareNamed } from './statement.ts';

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

  it('inserts the fields that a mapping lists', () => {
    const insert = prepareInsert(db, 'parcels', PARCELS, 'ON CONFLICT DO NOTHING');
    expect(insert({ name: 'books', fragile: true }).changes).toBe(1);
    expect(insert({ name: 'books', fragile: false }).changes).toBe(0);
    expect(db.prepare('SELECT * FROM parcels').all()).toEqual([{ label: 'books', is_fragile: 1 }]);
  });
});
