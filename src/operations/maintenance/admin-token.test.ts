import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createIdSource } from '../../domain/ids.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { openSqliteStorage, type SqliteStorage } from '../../storage/sqlite/sqlite-storage.ts';
import { ensureAdminToken } from './admin-token.ts';

let dir: string;
let storage: SqliteStorage;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'dockbell-admin-token-')));
  storage = openSqliteStorage(join(dir, 'dockbell.db'));
});

afterEach(() => {
  vi.restoreAllMocks();
  storage.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Notes what is flushed to disk, under the name that it has at that moment. */
async function watchSyncs(): Promise<string[]> {
  const handle = await open(dir, 'r');
  const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void> };
  await handle.close();
  const synced: string[] = [];
  const { sync } = prototype;
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: { fd: number }) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return sync.call(this);
  });
  return synced;
}

it.runIf(process.platform === 'linux')('the first owner token and its name are flushed to disk', async () => {
  const synced = await watchSyncs();
  const file = join(dir, 'admin-token');
  const parts = { tokens: storage.tokens, clock: systemClock, ids: createIdSource(randomBytes), randomBytes };
  expect(await ensureAdminToken(parts, file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toMatch(/^dbk_\S+\n$/);
  expect(synced).toEqual([expect.stringMatching(/\/admin-token\.[^/]+$/), dir]);
});

it('replaces a token that nobody used and whose file is missing, unless other data directories share it', async () => {
  const parts = { tokens: storage.tokens, clock: systemClock, ids: createIdSource(randomBytes), randomBytes };
  await ensureAdminToken(parts, join(dir, 'first'));
  const [token] = await storage.tokens.list();
  expect(await ensureAdminToken(parts, join(dir, 'second'), true)).toBe(false);
  expect(await storage.tokens.list()).toEqual([token]);
  expect(await ensureAdminToken(parts, join(dir, 'second'))).toBe(true);
  expect((await storage.tokens.list()).map(({ id }) => id)).not.toEqual([token!.id]);
});
