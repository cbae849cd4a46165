import { describe, expect, it } from 'vitest';
import {
  answerProperties,
  auditedNames,
  defineFields,
  definitionProperties,
  keysWith,
  pickWith,
  presentFields,
  readDeclared,
  readRequest,
  requestProperties,
  writeDeclared,
} from './fields.ts';
import { flag, instantOrNull, integer, nullable, oneOf, text, textOrNull } from './value-types.ts';

const FIELDS = defineFields({
  ref: { type: integer, generated: true, api: null },
  name: { type: text, editable: 'create', request: { type: 'string', maxLength: 5 }, tagged: true, audited: true },
  colour: {
    type: oneOf(['red', 'blue']),
    description: 'What it looks like.',
    declared: { default: 'red', alwaysWritten: true, schema: { title: 'Colour' } },
    editable: 'create and change',
    planned: true,
  },
  deliveryNote: {
    type: textOrNull,
    declared: { default: null, schema: { title: 'Note' } },
    editable: 'change',
    audited: true,
  },
  enabled: { type: flag, declared: { default: true, schema: { title: 'Enabled' } } },
  usedAt: { type: instantOrNull, api: 'last_used_at' },
});

const RECORD = { ref: 1, name: 'n', colour: 'blue', deliveryNote: null, enabled: true, usedAt: 0 } as const;

describe('the fields of a resource', () => {
  it('are listed and picked by their marks, in the order of the table', () => {
    expect(keysWith(FIELDS, 'declared')).toEqual(['colour', 'deliveryNote', 'enabled']);
    expect(pickWith(FIELDS, 'tagged', RECORD)).toEqual({ name: 'n' });
    expect(pickWith(FIELDS, 'planned', RECORD)).toEqual({ colour: 'blue' });
  });

  it('are shown under their API names, with instants as RFC 3339', () => {
    expect(presentFields(FIELDS, RECORD)).toEqual({
      name: 'n',
      colour: 'blue',
      delivery_note: null,
      enabled: true,
      last_used_at: '1970-01-01T00:00:00.000Z',
    });
    expect(presentFields(FIELDS, { ...RECORD, usedAt: null })).toMatchObject({ last_used_at: null });
  });

  it('describe what is shown', () => {
    expect(answerProperties(FIELDS)).toEqual({
      name: { type: 'string' },
      colour: { type: 'string', enum: ['red', 'blue'], description: 'What it looks like.' },
      delivery_note: { type: ['string', 'null'] },
      enabled: { type: 'boolean' },
      last_used_at: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(nullable(oneOf(['a'])).schema).toEqual({ type: ['string', 'null'], enum: ['a', null] });
  });

  it('describe and read what a request may set', () => {
    expect(Object.keys(requestProperties(FIELDS, 'create'))).toEqual(['name', 'colour']);
    expect(requestProperties(FIELDS, 'create').name).toEqual({ type: 'string', maxLength: 5 });
    expect(Object.keys(requestProperties(FIELDS, 'change'))).toEqual(['colour', 'delivery_note']);
    expect(readRequest(FIELDS, 'change', { delivery_note: null, name: 'not editable' })).toEqual({
      deliveryNote: null,
    });
  });

  it('show only audited values in the audit log', () => {
    expect(auditedNames(FIELDS)).toEqual(['name', 'delivery_note']);
  });

  it('describe the keys of a definition file', () => {
    expect(definitionProperties(FIELDS)).toEqual({
      colour: { title: 'Colour', type: 'string', enum: ['red', 'blue'], default: 'red' },
      deliveryNote: { title: 'Note', type: 'string' },
      enabled: { title: 'Enabled', type: 'boolean', default: true },
    });
  });

  it('are read from a definition file with defaults, and written without them', () => {
    expect(readDeclared(FIELDS, { enabled: false })).toEqual({ colour: 'red', deliveryNote: null, enabled: false });
    expect(writeDeclared(FIELDS, { colour: 'red', deliveryNote: null, enabled: false })).toEqual({
      colour: 'red',
      deliveryNote: undefined,
      enabled: false,
    });
  });
});
