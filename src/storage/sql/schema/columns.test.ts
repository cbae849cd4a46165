import { describe, expect, it } from 'vitest';
import { mapColumns } from './columns.ts';

interface Parcel {
  ref: number;
  name: string;
  size: 'small' | 'large' | null;
  fragile: boolean;
  contents: string[] | null;
  sentAt: number | null;
  tags: ReadonlySet<string>;
}

const PARCELS = mapColumns<Parcel>()([
  { key: 'ref', column: 'ref', codec: 'integer', generated: true },
  { key: 'name', column: 'label', codec: 'text' },
  { key: 'size', column: 'size', codec: ['small', 'large'] },
  { key: 'fragile', column: 'is_fragile', codec: 'boolean' },
  { key: 'contents', column: 'contents', codec: 'json' },
  { key: 'sentAt', column: 'sent_at', codec: 'instant' },
  {
    key: 'tags',
    column: 'tags',
    codec: { encode: (tags) => [...tags].join(' '), decode: (text) => new Set(text.split(' ')) },
  },
]);

const PARCEL: Omit<Parcel, 'ref'> = {
  name: 'books',
  size: 'large',
  fragile: false,
  contents: ['a', 'b'],
  sentAt: 1_767_323_045_678,
  tags: new Set(['x', 'y']),
};

const ROW = {
  label: 'books',
  size: 1,
  is_fragile: 0,
  contents: '["a","b"]',
  sent_at: 1_767_323_045_678,
  tags: 'x y',
};

const ABSENT = { size: null, contents: null, sentAt: null };

describe('mapColumns', () => {
  it('writes a row without the columns that the database generates', () => {
    expect(PARCELS.toRow(PARCEL)).toEqual(ROW);
    expect(PARCELS.inserted).toEqual(Object.keys(ROW));
    expect(PARCELS.toValues(PARCEL)).toEqual(Object.values(ROW));
  });

  it('reads a row that has columns of other tables', () => {
    const joined = { ...ROW, ref: 7, other: 'column' };
    expect(PARCELS.fromRow(joined)).toEqual({ ...PARCEL, ref: 7 });
  });

  it('stores null as NULL with every codec', () => {
    const row = PARCELS.toRow({ ...PARCEL, ...ABSENT });
    expect(row).toEqual({ ...ROW, size: null, contents: null, sent_at: null });
    expect(PARCELS.fromRow({ ...row, ref: 7 })).toEqual({ ...PARCEL, ...ABSENT, ref: 7 });
  });

  it('converts single values for conditions of a query', () => {
    expect(PARCELS.encode('size', 'small')).toBe(0);
    expect(PARCELS.decode('size', 1)).toBe('large');
    expect(PARCELS.encode('fragile', true)).toBe(1);
  });

  it('rejects a codec that does not fit the field at compile time', () => {
    // @ts-expect-error `fragile` is a boolean.
    mapColumns<Parcel>()([{ key: 'fragile', column: 'is_fragile', codec: 'text' }]);
    // @ts-expect-error A parcel has no weight.
    mapColumns<Parcel>()([{ key: 'weight', column: 'weight', codec: 'integer' }]);
    // @ts-expect-error An insert needs every column that the database does not generate.
    expect(() => PARCELS.toRow({ name: 'books' })).toThrow();
  });
});
