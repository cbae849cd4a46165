import { describe, expect, it } from 'vitest';
import { onPayload, received } from '../../../test/helpers/payload-filter.ts';
import { compileFilters, evaluateAutomation, toFilterResult } from './evaluate-filters.ts';

const LEVEL = onPayload({ level: ['fatal'] });
const SOURCE = onPayload({ source: ['ci'] });
const BROKEN = onPayload({ level: 'fatal' });

describe('several filters', () => {
  it('match if one of them matches, with the trace of that filter', () => {
    const filters = compileFilters([LEVEL, SOURCE]);
    const payload = received({ level: 'info', source: 'ci' });
    expect(filters.matches(payload)).toBe(true);
    expect(filters.evaluate(payload)).toMatchObject({ outcome: 'matched', trace: [{ path: 'source', matched: true }] });
  });

  it('are explained by the nearest where none matches, the first of equally near ones', () => {
    const filters = compileFilters([LEVEL, SOURCE]);
    expect(filters.matches(received({ source: 'x' }))).toBe(false);
    for (const [payload, path] of [
      [{ source: 'x' }, 'source'],
      [{}, 'level'],
    ] as const) {
      const filtered = { outcome: 'filtered', decidedBy: { path } };
      expect(filters.evaluate(received(payload))).toMatchObject(filtered);
      expect(filters.decide(received(payload))).toMatchObject(filtered);
    }
  });

  it('match everything where one is empty, as of a trigger without any', () => {
    const filters = compileFilters([LEVEL, {}]);
    expect(filters.matches(received(7))).toBe(true);
    expect(toFilterResult(filters.evaluate(received(7)))).toMatchObject({ verdict: 'Would trigger', decided_by: null });
  });

  it('that cannot be evaluated never match, which is reported before any key that decided', () => {
    expect(compileFilters([BROKEN, LEVEL]).evaluate(received({ level: 'fatal' }))).toMatchObject({
      outcome: 'matched',
    });
    expect(compileFilters([LEVEL, BROKEN]).evaluate(received({}))).toMatchObject({ outcome: 'invalid' });
    const broken = compileFilters([BROKEN]);
    expect(broken.matches(received({ level: 'fatal' }))).toBe(false);
    expect(toFilterResult(broken.evaluate(received({ level: 'fatal' })))).toEqual({
      verdict: 'Would not trigger',
      trace: [],
      decided_by: null,
      message: expect.stringMatching(/^The filter cannot be evaluated: The condition must be a list/),
    });
  });
});

describe('An automation', () => {
  const automation = { name: 'triage', enabled: true, filters: [LEVEL], noTriggerMessage: 'It listens to nothing.' };

  it.each([
    [{ level: 'fatal' }, 'Would trigger', null],
    [{ level: 'info' }, 'Would not trigger', 'level'],
    [7, 'Would not trigger', ''],
  ])('on %j: %s', (payload, verdict, decidedBy) => {
    expect(evaluateAutomation(automation, received(payload))).toMatchObject({ verdict, decided_by: decidedBy });
  });

  it('that is disabled starts nothing, and still shows what its filter found', () => {
    expect(evaluateAutomation({ ...automation, enabled: false }, received({ level: 'fatal' }))).toMatchObject({
      verdict: 'Would not trigger',
      trace: [{ matched: true }],
      message: 'The automation triage is disabled.',
    });
  });

  it('without a trigger that counts says why', () => {
    expect(evaluateAutomation({ ...automation, filters: [] }, received({}))).toMatchObject({
      verdict: 'Would not trigger',
      message: 'It listens to nothing.',
    });
  });
});
