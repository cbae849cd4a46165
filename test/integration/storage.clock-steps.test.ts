import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { RetentionTime } from '../../src/domain/time/retention-time.ts';
import { SteadyClock } from '../../src/domain/time/steady-clock.ts';
import { describeClocks, watchConditions } from '../../src/operations/health/live-conditions.ts';
import { type HousekeepingParts, startHousekeeping } from '../../src/operations/housekeeping/housekeeping.ts';
import { openSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { createDatabaseFile } from '../helpers/new-database.ts';
import { useFolder } from '../helpers/with-storage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POLICY = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 1,
  identitiesMs: 90 * DAY_MS,
  runsMs: 30 * DAY_MS,
  auditMs: 365 * DAY_MS,
  secretVersionsMs: 30 * DAY_MS,
  runBytes: 1e9,
};

describe('retention while the clock changes', () => {
  const folder = useFolder();
  const machine = { wallMs: START_MS, uptimeMs: 0 };
  let storage: SqliteStorage;
  let webhook: number;
  let warnings: unknown[] = [];

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
    Object.assign(machine, { wallMs: START_MS, uptimeMs: 0 });
    warnings = [];
    const file = join(folder.path, 'dockbell.db');
    createDatabaseFile(file);
    storage = openSqliteStorage(file);
    ({ webhook } = await applyOneOfEach(storage));
  });
  afterEach(() => {
    storage.close();
    vi.useRealTimers();
  });

  const deliver = (key: string) =>
    storage.deliveryLog
      .record([{ ...buildOffer({ webhook, key }), receivedAt: machine.wallMs }])
      .then(([outcome]) => outcome!.label);
  /** Every first delivery still has its identity. */
  async function expectNothingNew(deliveries: number): Promise<void> {
    for (let number = 0; number < deliveries; number += 1) expect(await deliver(`event-${number}`)).toBe('Duplicate');
  }

  /** The housekeeping of one daemon, from start to stop, on the existing storage. */
  async function start() {
    const clock = { wallMs: () => machine.wallMs, monotonicMs: () => machine.uptimeMs };
    const mark = await storage.retention.lastMark();
    const uptimeMs = () => machine.uptimeMs;
    const steadyClock = new SteadyClock({ clock, uptimeMs, newestStoredMs: mark?.passedAtMs ?? null });
    const retentionTime = new RetentionTime(mark, steadyClock.wallMs());
    const nowMs = () => steadyClock.wallMs();
    const logger: Logger = {
      info: () => {},
      error: (fields) => warnings.push(fields),
      child: () => logger,
      warn: ({ reason }) => warnings.push(reason),
    };
    const ofDaemon = watchConditions(() => describeClocks(steadyClock, retentionTime), { nowMs, logger });
    const parts: HousekeepingParts = {
      sharedLogs: null,
      policy: POLICY,
      clock,
      steadyClock,
      retentionTime,
      uptimeMs,
      logger,
      conditions: { ofDaemon },
      retention: storage.retention,
      runs: storage.runReader,
      files: { list: async () => [], removeRunFiles: async () => {} },
      space: { free: async () => ({ runs: 0, bytes: 0, stuck: [] }) },
      rejectionRows: { flush: () => {} },
      handshakeRows: { flush: () => {} },
      unlogged: { flush: async () => {} },
    };
    const housekeeping = startHousekeeping(parts);
    housekeeping.lead(new AbortController().signal);
    await vi.advanceTimersByTimeAsync(1_000);
    return { housekeeping, ofDaemon };
  }

  /** Advances the clock, with one pass of retention per hour. */
  async function live(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += HOUR_MS) {
      machine.wallMs += HOUR_MS;
      machine.uptimeMs += HOUR_MS;
      await vi.advanceTimersByTimeAsync(61_000);
    }
  }

  it('keeps everything while the clock is a year ahead for some hours, and accepts no old delivery again', async () => {
    for (let number = 0; number < 50; number += 1) expect(await deliver(`event-${number}`)).toBe('Accepted');
    const { housekeeping, ofDaemon } = await start();
    machine.wallMs += 365 * DAY_MS;
    await live(5 * HOUR_MS);
    expect(ofDaemon()).toMatchObject([{ type: 'ClockStepped', reason: 'ClockAhead' }]);
    expect(warnings).toEqual(['ClockAhead']);
    await expectNothingNew(50);
    machine.wallMs -= 365 * DAY_MS;
    await live(HOUR_MS);
    expect(ofDaemon()).toEqual([]);
    await housekeeping.stop();
  });

  it('removes rows in limited steps after a start with a clock that is a year ahead', async () => {
    for (let number = 0; number < 50; number += 1) await deliver(`event-${number}`);
    const first = await start();
    await first.housekeeping.stop();
    machine.wallMs += 365 * DAY_MS;
    const { housekeeping, ofDaemon } = await start();
    await live(25 * HOUR_MS);
    expect(ofDaemon()).toMatchObject([{ type: 'RetentionDelayed' }]);
    await expectNothingNew(50);
    await housekeeping.stop();
  });

  it('catches up after a downtime of three months in less than three weeks', { tags: 'full' }, async () => {
    for (let number = 0; number < 50; number += 1) await deliver(`event-${number}`);
    const first = await start();
    await first.housekeeping.stop();
    machine.wallMs += 100 * DAY_MS;
    const { housekeeping, ofDaemon } = await start();
    await live(20 * DAY_MS);
    expect(ofDaemon()).toEqual([]);
    expect(await deliver('event-0')).toBe('Accepted');
    await housekeeping.stop();
  });

  it('keeps all rows while the clock is a year behind, and after it is corrected', async () => {
    for (let number = 0; number < 50; number += 1) await deliver(`event-${number}`);
    const { housekeeping } = await start();
    machine.wallMs -= 365 * DAY_MS;
    for (let number = 50; number < 60; number += 1) await deliver(`event-${number}`);
    await live(3 * HOUR_MS);
    machine.wallMs += 365 * DAY_MS;
    await live(3 * HOUR_MS);
    await expectNothingNew(60);
    await housekeeping.stop();
  });
});
