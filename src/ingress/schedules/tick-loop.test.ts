import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../test/helpers/command-runs.ts';
import type { DeclaredSchedule } from '../../domain/definitions/trigger.ts';
import type { ScheduleChange } from '../../domain/ports/schedules.ts';
import type { ScheduleState } from '../../domain/resources/schedule.ts';
import { TickLoop, type TickLoopParts } from './tick-loop.ts';

const MINUTE_MS = 60_000;
const EACH_MINUTE: DeclaredSchedule = { name: null, cron: '* * * * *', timezone: 'UTC', catchUp: 'none' };

let stuck: string | null;
let synced: ScheduleChange[];
let fired: string[];
let loop: TickLoop;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [stuck, synced, fired] = [null, [], []];
  const parts = {
    store: {
      sync: async (change: ScheduleChange) => {
        if (change.factory === stuck) throw new Error('busy');
        synced.push(change);
        const { factory, automations, at } = change;
        const schedules = automations.flatMap(({ name, schedules: declared }) =>
          declared.map(({ cron, timezone }) => ({
            factory,
            automation: name,
            name: '',
            cron,
            timezone,
            startedAt: at,
          })),
        );
        return { source: null, schedules: schedules as unknown as ScheduleState[] };
      },
      advance: async ({ factory, automation }: { factory: string; automation: string }) => {
        fired.push(`${factory}/${automation}`);
        return { outcome: null };
      },
    },
    findSource: () => ({ ref: 1, listeners: { match: () => [], apply: { number: 1, revision: null } } }),
    setSource: () => {},
    explainPause: () => null,
    clock: { wallMs: () => Date.now(), monotonicMs: () => Date.now() },
    ids: { deliveryId: () => 'dlv_1', runId: () => 'run_1', scheduleId: () => 'sch_1', webhookUid: () => 'wh_1' },
    schedule: (delayMs: number, callback: () => void) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    onRecorded: () => {},
    onRunsCreated: () => {},
    logger: silentLogger,
  };
  loop = new TickLoop(parts as unknown as TickLoopParts);
});
afterEach(async () => {
  await loop.stop();
  vi.useRealTimers();
});

function declare(factory: string, names: string[], deleted: string[] = []): void {
  const automations = names.map((name) => ({ name, schedules: [EACH_MINUTE] }));
  loop.follow({ factory, automations, deleted, isWhole: deleted.length === 0 });
}

it('stores and fires the schedules of the other factories while those of one cannot be stored', async () => {
  stuck = 'broken';
  declare('broken', ['stuck']);
  declare('payments', ['report']);
  loop.start();
  await vi.advanceTimersByTimeAsync(MINUTE_MS + 1);
  expect(fired).toEqual(['payments/report']);
  stuck = null;
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(synced.map(({ factory }) => factory)).toEqual(['payments', 'broken']);
  expect(fired).toContain('broken/stuck');
});

it('fires no schedule of an automation whose change is not stored, and stores all that changed meanwhile', async () => {
  declare('payments', ['first', 'second', 'third']);
  loop.start();
  await loop.settled();
  stuck = 'payments';
  declare('payments', [], ['first']);
  await loop.settled();
  declare('payments', [], ['second']);
  await vi.advanceTimersByTimeAsync(MINUTE_MS + 1);
  expect(fired).toEqual(['payments/third']);
  stuck = null;
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(
    synced
      .at(-1)!
      .automations.map(({ name }) => name)
      .sort(),
  ).toEqual(['first', 'second']);
});
