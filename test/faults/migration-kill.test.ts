import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { locate } from '../helpers/documents.ts';
import { runUntilStep } from '../helpers/run-until-step.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { launchTestDaemon } from '../helpers/test-daemon.ts';

const FIXTURE = locate('test/fixtures/databases/0.1.0/');
const CONTENT = gunzipSync(readFileSync(new URL('dockbell.db.gz', FIXTURE)));
const { masterKey } = JSON.parse(readFileSync(new URL('expected.json', FIXTURE), 'utf8'));
const BACKUP = `dockbell.db.before-v${MIGRATIONS.length}`;

/** A data directory of version 0.1.0 after a clean stop. */
function unpack(): string {
  const dataDir = join(createTempDir('migration'), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, 'dockbell.db'), CONTENT, { mode: 0o600 });
  writeFileSync(join(dataDir, 'master.key'), `${masterKey}\n`, { mode: 0o600 });
  return dataDir;
}

/** The number of rows in tables that no migration empties. */
function countRows(file: string) {
  const db = new Database(file, { readonly: true });
  try {
    const count = (table: string) => db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()!.n;
    return {
      integrity: db.pragma('integrity_check', { simple: true }),
      version: db.pragma('user_version', { simple: true }) as number,
      rows: ['webhooks', 'runs', 'secret_versions', 'deliveries'].map(count),
    };
  } finally {
    db.close();
  }
}

it('a migration that is killed at any step loses nothing, and the next start completes it', async () => {
  const before = countRows(join(unpack(), 'dockbell.db'));
  let step = 1;
  for (let isComplete = false; !isComplete; step++) {
    const dataDir = unpack();
    const file = join(dataDir, 'dockbell.db');
    isComplete = await runUntilStep(step, ['token', 'reset', '--data-dir', dataDir]);
    const killed = countRows(file);
    expect(killed, `after a kill at step ${step}`).toMatchObject({ integrity: 'ok', rows: before.rows });
    expect([before.version, MIGRATIONS.length]).toContain(killed.version);
    if (killed.version === MIGRATIONS.length) expect(existsSync(join(dataDir, BACKUP))).toBe(true);

    openSqliteStorage(file).close();
    expect(countRows(file)).toEqual({ ...before, version: MIGRATIONS.length });
    expect(countRows(join(dataDir, BACKUP))).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => /unfinished|rebuilt/.test(name))).toEqual([]);
    rmSync(dataDir, { recursive: true });
  }
  expect(step).toBeGreaterThan(MIGRATIONS.length - before.version);
});

it('a start that is killed in the middle of the copy before a migration leaves no half copy, and the next one goes well', async () => {
  const config = { factories: [{ name: 'rows', source: { type: 'live' } }] };
  const fillingMib = 300;
  const original = unpack();
  // So large that its copy takes a while.
  const db = new Database(join(original, 'dockbell.db'));
  db.exec('CREATE TABLE filling (bytes BLOB)');
  const fill = db.prepare('INSERT INTO filling VALUES (randomblob(1048576))');
  db.transaction(() => {
    for (let mib = 0; mib < fillingMib; mib += 1) fill.run();
  })();
  db.close();
  const before = countRows(join(original, 'dockbell.db'));
  let halfCopies = 0;
  // The last round kills when the copy has its name.
  for (const copiedMib of [0, fillingMib / 4, fillingMib / 2, null]) {
    const dataDir = join(createTempDir('killed'), 'data');
    cpSync(original, dataDir, { recursive: true });
    const [backup, unfinished] = [join(dataDir, BACKUP), join(dataDir, `${BACKUP}.unfinished`)];
    const isReached = () => {
      if (copiedMib === null) return existsSync(backup);
      return (statSync(unfinished, { throwIfNoEntry: false })?.size ?? -1) >= copiedMib * 1024 * 1024;
    };
    const launched = launchTestDaemon({ config, dataDir });
    let isMissed = false;
    void launched.serving.then(() => {
      isMissed = true;
    });
    while (!isReached() && !isMissed) await nextTurn();
    launched.kill('SIGKILL');
    expect(await launched.exited).toBeNull();
    if (existsSync(unfinished)) {
      halfCopies += 1;
      expect(readdirSync(dataDir)).not.toContain(BACKUP);
    } else expect(countRows(backup)).toEqual(before);

    const daemon = (await launchTestDaemon({ config, dataDir }).serving)!;
    expect(countRows(backup)).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => name.includes('before-v'))).toEqual([BACKUP]);
    expect(await daemon.end('SIGTERM')).toBe(0);
    expect(countRows(join(dataDir, 'dockbell.db'))).toMatchObject({ rows: before.rows, version: MIGRATIONS.length });
  }
  expect(halfCopies).toBeGreaterThan(1);
});

it('two daemons that start together on an old database: one migrates and serves, the other one reports the lock', async () => {
  const config = { factories: [{ name: 'rows', source: { type: 'live' } }] };
  for (let round = 0; round < 5; round++) {
    const dataDir = unpack();
    const before = countRows(join(dataDir, 'dockbell.db'));
    const both = [launchTestDaemon({ config, dataDir }), launchTestDaemon({ config, dataDir })];
    const loser = await Promise.race(both.map(async (daemon) => daemon.exited.then((code) => ({ daemon, code }))));
    expect(loser.code, loser.daemon.output()).toBe(2);
    expect(loser.daemon.output()).toContain('in use by another Dockbell');
    const winner = both.find((daemon) => daemon !== loser.daemon)!;
    const daemon = (await winner.serving)!;
    expect((await fetch(`${daemon.ingressUrl}/readyz`)).status).toBe(200);
    expect(daemon.output().match(/"database migrated"/g)).toHaveLength(1);
    expect(await daemon.end('SIGTERM')).toBe(0);
    expect(countRows(join(dataDir, 'dockbell.db'))).toMatchObject({ integrity: 'ok', version: MIGRATIONS.length });
    expect(countRows(join(dataDir, BACKUP))).toEqual(before);
  }
});
