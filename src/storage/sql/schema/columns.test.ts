import { describe, expect, it } from 'vitest';
import { defineFields } from '../../../domain/resources/fields.ts';
import { flag, instantOrNull, integer, labelOf, text, textOrNull } from '../../../domain/resources/value-types.ts';
import { mapColumns, mapFields } from './columns.ts';

interface Parcel {
  ref: number;
  name: string;
  size: 'small' | 'large' | null;
  fragile: boolean;
  contents: string[] | null;
  sentAt: number | null;
  tags: ReadonlySet<string>;
}

const PARCELS = mapColumns<Parcel>()({
  ref: { codec: 'integer', generated: true },
  name: { codec: 'text', column: 'label' },
  size: ['small', 'large'],
  fragile: { codec: 'boolean', column: 'is_fragile' },
  contents: 'json',
  sentAt: 'instant',
  tags: { encode: (tags) => [...tags].join(' '), decode: (text) => new Set(text.split(' ')) },
});

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
    mapColumns<Parcel>()({ fragile: 'text' });
    // @ts-expect-error A parcel has no weight.
    mapColumns<Parcel>()({ weight: 'integer' });
    // @ts-expect-error An insert needs every column that the database does not generate.
    expect(() => PARCELS.toRow({ name: 'books' })).toThrow();
  });
});

describe('mapFields', () => {
  const LETTERS = mapFields(
    defineFields({
      ref: { type: integer, generated: true },
      toName: { type: text, column: 'recipient' },
      priority: { type: labelOf(['low', 'high']) },
      opened: { type: flag },
      readAt: { type: instantOrNull },
      sender: { type: textOrNull, column: null },
    }),
  );

  it('maps the fields of a resource that its table stores', () => {
    const row = LETTERS.toRow({ toName: 'Ada', priority: 'high', opened: true, readAt: null });
    expect(row).toEqual({ recipient: 'Ada', priority: 1, opened: 1, read_at: null });
    expect(LETTERS.fromRow({ ...row, ref: 3 })).toEqual({
      ref: 3,
      toName: 'Ada',
      priority: 'high',
      opened: true,
      readAt: null,
    });
  });
});
