import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { resolveDataPaths } from '../../src/platform/data-dir/data-paths.ts';
import { requireDatabase } from '../../src/platform/data-dir/require-database.ts';
import { checkInBackground } from '../../src/storage/sqlite/disk/background-check.ts';
import { checkAtStart, findDamage, markDamaged } from '../../src/storage/sqlite/disk/check-database.ts';
import { startDatabaseChecks } from '../../src/storage/sqlite/disk/database-checks.ts';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { useFolder } from '../helpers/with-storage.ts';

const CHECK_WORKER = new URL('../../dist/storage/sqlite/disk/check-worker.js', import.meta.url);
const HOUR_MS = 3_600_000;
const PAGE_BYTES = 4096;

describe('damage of the database', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  const never = new AbortController().signal;

  function fill(): void {
    const db = openDatabase(file());
    db.exec(
      "INSERT INTO factories (name, created_at) WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 2000) SELECT 'factory-' || i, i FROM n",
    );
    db.close();
  }

  /** Overwrites a leaf page that contains rows. */
  function damage(): void {
    const content = readFileSync(file());
    const at = Math.floor(content.lastIndexOf('factory-1500') / PAGE_BYTES) * PAGE_BYTES;
    content.fill(0xda, at + 8, at + 200);
    writeFileSync(file(), content);
  }

  it('is found at startup in a small file, and the error says how to repair it', () => {
    fill();
    expect(() => checkAtStart(file())).not.toThrow();
    damage();
    expect(findDamage(file())).toMatch(/page/);
    expect(() => checkAtStart(file())).toThrow(
      expect.objectContaining({
        code: 'storage_damaged',
        message: expect.stringMatching(/dockbell\.db is damaged: .* restore a backup with "dockbell restore/),
      }),
    );
  });

  it('is found by another process while the database is in use, and marked for the next start', async () => {
    fill();
    const db = openDatabase(file());
    expect(await checkInBackground(CHECK_WORKER, file(), never)).toMatchObject({ outcome: 'undamaged' });
    damage();
    expect(await checkInBackground(CHECK_WORKER, file(), never)).toMatchObject({ outcome: 'damaged' });
    expect(existsSync(`${file()}.damaged`)).toBe(true);
    db.close();
  });

  it('is no longer marked after the next start finds an undamaged file', () => {
    fill();
    markDamaged(file(), 'a page');
    checkAtStart(file());
    expect(existsSync(`${file()}.damaged`)).toBe(false);
  });

  it('is not reported when the check was stopped', async () => {
    fill();
    const abort = new AbortController();
    const checking = checkInBackground(CHECK_WORKER, file(), abort.signal);
    abort.abort();
    expect(await checking).toMatchObject({ outcome: 'aborted' });
    expect(existsSync(`${file()}.damaged`)).toBe(false);
  });

  describe('in the daily check', () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it('stops the daemon; an aborted check is repeated after an hour', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      fill();
      const outcomes = [
        { outcome: 'undamaged', durationMs: 1 },
        { outcome: 'aborted', problem: 'busy' },
        { outcome: 'damaged', finding: 'page 7' },
      ] as const;
      let done = 0;
      const logged: string[] = [];
      const log = (_fields: unknown, message: string) => logged.push(message);
      const logger: Logger = { info: log, warn: log, error: log, child: () => logger };
      const checks = startDatabaseChecks(file(), logger, async () => outcomes[done++]!);
      await vi.advanceTimersByTimeAsync(23 * HOUR_MS);
      expect(done).toBe(0);
      await vi.advanceTimersByTimeAsync(25 * HOUR_MS);
      expect(logged).toEqual(['database checked', 'database check aborted']);
      await vi.advanceTimersByTimeAsync(HOUR_MS);
      expect(await checks.damaged).toMatchObject({
        code: 'storage_damaged',
        message: expect.stringContaining('page 7'),
      });
      await checks.stop();
    });
  });

  it('includes a missing database next to other files of a daemon, but not next to a master key only', () => {
    const paths = resolveDataPaths(folder.path);
    writeFileSync(join(folder.path, 'master.key'), 'key');
    expect(() => requireDatabase(paths)).not.toThrow();
    mkdirSync(paths.startRecords);
    expect(() => requireDatabase(paths)).toThrow(
      expect.objectContaining({ code: 'storage_damaged', message: expect.stringContaining('is missing, but tickets') }),
    );
    writeFileSync(file(), '');
    expect(() => requireDatabase(paths)).toThrow('is empty');
    openDatabase(file()).close();
    expect(() => requireDatabase(paths)).not.toThrow();
  });
});
