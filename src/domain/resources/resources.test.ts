import { describe, expect, it } from 'vitest';
import { AUTOMATION_FIELDS } from './automation.ts';
import { type Fields, keysWith } from './fields.ts';
import { WEBHOOK_FIELDS } from './webhook.ts';

const RESOURCES: [string, Fields][] = [
  ['webhooks', WEBHOOK_FIELDS],
  ['automations', AUTOMATION_FIELDS],
];

describe.each(RESOURCES)('the fields of %s', (_name, fields) => {
  it('change the entity tag if an edit or a file can change them', () => {
    const tagged = new Set<string>(keysWith(fields, 'tagged'));
    const changeable = [...keysWith(fields, 'editable'), ...keysWith(fields, 'declared')];
    expect(changeable.filter((key) => !tagged.has(key))).toEqual([]);
  });

  it('are part of the plan if a file declares them', () => {
    const planned = new Set<string>(keysWith(fields, 'planned'));
    expect(keysWith(fields, 'declared').filter((key) => !planned.has(key))).toEqual([]);
  });
});
