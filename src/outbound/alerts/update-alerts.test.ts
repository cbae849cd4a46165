import { describe, expect, it } from 'vitest';
import { createIdSource } from '../../domain/ids.ts';
import type { Alert } from '../../domain/messages/alert.ts';
import type { Examination } from './examine-rules.ts';
import type { Finding } from './rules/finding.ts';
import { type AlertUpdate, MAX_ACTIVE, updateAlerts } from './update-alerts.ts';

const MINUTE_MS = 60_000;
const ids = createIdSource((size) => new Uint8Array(size).fill(7));

const finding = (object: string | null, more: Partial<Finding> = {}): Finding => {
  return { factory: 'payments', object, objectId: null, summary: `About ${object}.`, ...more };
};
const found = (...findings: Finding[]): Examination => ({ rule: 'runFailed', factory: 'payments', findings });

/** Applies examinations one after another, as `AlertWatch` does. */
function createBook() {
  const active = new Map<string, Alert>();
  return {
    active,
    at: (minute: number, ...examinations: Examination[]): AlertUpdate => {
      const nowMs = minute * MINUTE_MS;
      const update = updateAlerts([...active.values()], examinations, {
        nowMs,
        resolveAfterMs: 2 * MINUTE_MS,
        repeatIntervalMs: 60 * MINUTE_MS,
        newId: () => ids.alertId(nowMs),
      });
      for (const alert of [...update.opened, ...update.changed]) active.set(alert.id, alert);
      for (const { id } of update.resolved) active.delete(id);
      return update;
    },
  };
}

describe('updateAlerts', () => {
  it('opens one alert for each object, and none for an object that has one', () => {
    const book = createBook();
    expect(book.at(0, found(finding('a'), finding('b'))).opened.map(({ object }) => object)).toEqual(['a', 'b']);
    expect(book.at(1, found(finding('a'), finding('b'), finding('c'))).opened.map(({ object }) => object)).toEqual([
      'c',
    ]);
    expect(book.active.size).toBe(3);
  });

  it('changes nothing while nothing changes, but for the time in which it was seen last', () => {
    const book = createBook();
    book.at(0, found(finding('a')));
    expect(book.at(4, found(finding('a'))).changed).toEqual([]);
    expect(book.at(5, found(finding('a', { summary: 'New.' }))).changed).toMatchObject([
      { summary: 'New.', lastSeenAt: 5 * MINUTE_MS, count: 1 },
    ]);
  });

  it('resolves an alert when its cause has ended for the time that the configuration says', () => {
    const book = createBook();
    book.at(0, found(finding('a')));
    expect(book.at(1, found()).resolved).toEqual([]);
    expect(book.at(2, found()).resolved).toEqual([]);
    expect(book.at(3, found()).resolved).toMatchObject([{ state: 'resolved', resolvedAt: 3 * MINUTE_MS }]);
    expect(book.active.size).toBe(0);
  });

  it('counts a cause that returns earlier, and neither resolves nor opens the alert', () => {
    const book = createBook();
    book.at(0, found(finding('a')));
    for (let minute = 1; minute < 20; minute += 2) {
      const { resolved } = book.at(minute, found());
      const { opened, repeated } = book.at(minute + 1, found(finding('a')));
      expect([...resolved, ...opened, ...repeated]).toEqual([]);
    }
    expect([...book.active.values()]).toMatchObject([{ count: 11, clearSince: null, state: 'open' }]);
  });

  it('opens another alert when the cause returns later', () => {
    const book = createBook();
    const [{ id }] = book.at(0, found(finding('a'))).opened as [Alert];
    book.at(1, found());
    book.at(4, found());
    expect(book.at(5, found(finding('a'))).opened[0]!.id).not.toBe(id);
  });

  it('repeats an open alert in the interval, and an acknowledged one never', () => {
    const book = createBook();
    book.at(0, found(finding('a'), finding('b')));
    const [, acknowledged] = [...book.active.values()] as [Alert, Alert];
    book.active.set(acknowledged.id, { ...acknowledged, state: 'acknowledged' });
    const repeatedAt = Array.from({ length: 200 }, (_, minute) => minute).filter(
      (minute) => book.at(minute, found(finding('a'), finding('b'))).repeated.length > 0,
    );
    expect(repeatedAt).toEqual([60, 120, 180]);
  });

  it('leaves the alerts of other factories and rules alone', () => {
    const book = createBook();
    book.at(0, found(finding('a')), { rule: 'silent', findings: [finding('hook')] });
    book.at(1, { rule: 'runFailed', factory: 'other', findings: [] });
    book.at(4, { rule: 'runFailed', factory: 'other', findings: [] });
    expect(book.active.size).toBe(2);
    book.at(5, { rule: 'runFailed', findings: [] });
    book.at(7, { rule: 'runFailed', findings: [] });
    expect([...book.active.values()].map(({ rule }) => rule)).toEqual(['silent']);
  });

  it('keeps the alert of an object with the same ID and another name', () => {
    const book = createBook();
    book.at(0, found(finding('old', { objectId: 'wh_1' })));
    expect(book.at(1, found(finding('new', { objectId: 'wh_1' }))).opened).toEqual([]);
  });

  it('stores texts from outside as one short line without control characters', () => {
    const book = createBook();
    const hostile = finding(`a\u202e${'x'.repeat(5000)}`, { summary: `line\r\none \u001b[31m${'y'.repeat(5000)}` });
    const [alert] = book.at(0, found(hostile)).opened as [Alert];
    expect(alert.summary).toMatch(/^line one \\x1b\[31my+…$/);
    expect(alert.summary.length).toBeLessThanOrEqual(500);
    expect(alert.object).toMatch(/^a\\u\{202e\}x+…$/);
    expect(alert.object!.length).toBeLessThanOrEqual(200);
  });

  it('opens a limited number of alerts', () => {
    const book = createBook();
    const many = Array.from({ length: MAX_ACTIVE + 10 }, (_, i) => finding(`a${i}`));
    expect(book.at(0, found(...many)).opened.length).toBe(MAX_ACTIVE);
  });

  it('resolves an alert although the clock was set back', () => {
    const book = createBook();
    book.at(100, found(finding('a')));
    book.at(101, found());
    book.at(10, found());
    expect(book.at(12, found()).resolved.length).toBe(1);
  });
});
