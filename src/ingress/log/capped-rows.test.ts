import { beforeEach, describe, expect, it } from 'vitest';
import type { RejectionEntry } from '../../domain/resources/delivery.ts';
import { RejectionRows } from './capped-rows.ts';

const MINUTE_MS = 60_000;

let written: RejectionEntry[];
let rows: RejectionRows;
let made: number;

beforeEach(() => {
  written = [];
  rows = new RejectionRows((entry) => written.push(entry));
  made = 0;
});

function entry(more: Partial<RejectionEntry> = {}): RejectionEntry {
  return {
    kind: 'rejection',
    id: `dlv_${made++}`,
    webhook: 1,
    size: 3,
    receivedAt: 0,
    clientAddress: '192.0.2.1',
    revision: null,
    label: 'Rejected (auth)',
    reason: 'bad_credential',
    detail: null,
    identity: { source: 'service_header', value: 'x' },
    count: 1,
    ...more,
  } as RejectionEntry;
}

function add(count: number, nowMs: number, more: Partial<RejectionEntry> = {}): boolean[] {
  return Array.from({ length: count }, () => rows.add(entry(more), nowMs));
}

describe('rows of rejections', () => {
  it('are written individually up to 600 per minute; one row has the number of the others', () => {
    const answers = add(1_000, 0);
    expect(answers.filter(Boolean)).toHaveLength(600);
    expect(written).toHaveLength(600);

    rows.flush(MINUTE_MS - 1);
    expect(written).toHaveLength(600);
    rows.flush(MINUTE_MS);
    expect(written).toHaveLength(601);
    expect(written.at(-1)).toMatchObject({ reason: 'summed_up', count: 400, identity: null, label: 'Rejected (auth)' });
    expect(written.at(-1)?.detail).toContain('400 more rejections');
    expect(new Set(written.map(({ id }) => id)).size).toBe(601);

    rows.flush(MINUTE_MS * 2);
    expect(written).toHaveLength(601);
  });

  it('are counted per webhook and label', () => {
    add(601, 0);
    expect(add(1, 0, { webhook: 2 })).toEqual([true]);
    expect(add(1, 0, { label: 'Rejected (too large)' })).toEqual([true]);
    expect(add(1, 0)).toEqual([false]);
  });

  it('summarize the last minute before the first row of the next one', () => {
    add(603, 0);
    add(1, MINUTE_MS);
    expect(written.slice(600)).toMatchObject([
      { reason: 'summed_up', count: 3 },
      { reason: 'bad_credential', count: 1 },
    ]);
  });

  it('summarize the current minute at a clean stop', () => {
    add(602, 0);
    rows.flush(1, true);
    expect(written.at(-1)).toMatchObject({ reason: 'summed_up', count: 2 });
  });

  it('have no summary if no row was suppressed', () => {
    add(600, 0);
    rows.flush(MINUTE_MS, true);
    expect(written).toHaveLength(600);
  });
});
