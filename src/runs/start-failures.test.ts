import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../domain/ids.ts';
import { StartFailures } from './start-failures.ts';

const [FIRST, SECOND] = ['run_a', 'run_b'] as RunId[] as [RunId, RunId];
let nowMs: number;
let failures: StartFailures;
beforeEach(() => {
  nowMs = 0;
  failures = new StartFailures({ wallMs: () => 1_000_000 + nowMs, monotonicMs: () => nowMs });
});

describe('failures to start', () => {
  it('pause the queue, longer each time up to half a minute, until a run starts', () => {
    const pauses = Array.from({ length: 9 }, () => failures.note(FIRST, 'EMFILE').pauseMs);
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(failures.pausedUntil()).toBe(30_000);
    nowMs = 30_000;
    expect(failures.pausedUntil()).toBeNull();
    failures.noteStart(SECOND);
    expect([failures.current(), failures.note(FIRST, 'EMFILE').pauseMs]).toEqual([null, 250]);
  });

  it('are reported with the last problem, since the first', () => {
    failures.note(FIRST, 'EMFILE');
    nowMs = 5_000;
    failures.note(null, 'ENOSPC');
    expect(failures.current()).toEqual({ problem: 'ENOSPC', since: 1_000_000 });
  });

  it('let the run wait longer than the queue, so that another run is attempted next', () => {
    failures.note(FIRST, 'EMFILE');
    expect(failures.resting()).toEqual({ runs: [FIRST], until: 500 });
    nowMs = failures.pausedUntil()!;
    expect(failures.resting().runs).toEqual([FIRST]);
    nowMs = 500;
    expect(failures.resting().runs).toEqual([]);
  });

  it('never make a run hopeless while no other run starts', () => {
    for (let time = 0; time < 1000; time++) expect(failures.note(FIRST, 'EMFILE').isHopeless).toBe(false);
  });

  it.each([
    ['ten minutes', 120_000, [false, false, false, false, false, true]],
    ['less than ten minutes', 119_999, [false, false, false, false, false, false]],
  ])('that last %s make a run hopeless only if others started between five of them', (_title, stepMs, expected) => {
    const outcomes = expected.map(() => {
      const { isHopeless } = failures.note(FIRST, 'EACCES');
      failures.noteStart(SECOND);
      nowMs += stepMs;
      return isHopeless;
    });
    expect(outcomes).toEqual(expected);
  });

  it('are forgotten for a run that is not seen again for a long time', () => {
    failures.note(FIRST, 'EMFILE');
    nowMs = 2 * 60 * 60_000;
    failures.note(SECOND, 'EMFILE');
    failures.noteStart(SECOND);
    expect(failures.resting().runs).toEqual([]);
  });
});
