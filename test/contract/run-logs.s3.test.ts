import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunLogParts } from '../../src/domain/ports/run-files.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createRunLogReader } from '../../src/runs/executors/log/run-log.ts';
import { PartMover } from '../../src/runs/executors/log/shared/part-mover.ts';
import { createS3Objects, type S3Settings } from '../../src/runs/executors/log/shared/s3-objects.ts';
import { SharedRunLogs } from '../../src/runs/executors/log/shared/shared-run-logs.ts';
import type { PostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { type ClaimedRuns, openClaimedRuns } from '../helpers/claimed-runs.ts';
import { silentLogger } from '../helpers/command-runs.ts';
import { eventually } from '../helpers/eventually.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { POSTGRES, useFolder, useStorage } from '../helpers/with-storage.ts';

describe('the logs of runs in PostgreSQL and S3', () => {
  const opened = useStorage(POSTGRES);
  const folder = useFolder();
  let parts: RunLogParts;
  let runs: ClaimedRuns;
  let server: S3Server;
  const movers: PartMover[] = [];

  beforeEach(async () => {
    parts = (opened.storage as PostgresStorage).runLogParts;
    runs = await openClaimedRuns(opened.storage);
    mkdirSync(join(folder.path, 's3'));
    server = await startS3Server(join(folder.path, 's3'));
  });
  afterEach(async () => {
    for (const mover of movers.splice(0)) await mover.stop();
    await server.stop();
  });

  function openLogs(settings: S3Settings | null = server.settings): SharedRunLogs {
    return new SharedRunLogs({
      parts,
      objects: settings === null ? null : createS3Objects(settings),
      unsentDir: join(folder.path, 'unsent'),
      earlier: createRunLogReader(join(folder.path, 'none')),
      clock: systemClock,
      logger: silentLogger,
    });
  }

  function startMover({ isLeader = (): boolean => true, settings = server.settings } = {}): void {
    movers.push(new PartMover({ parts, objects: createS3Objects(settings), isLeader, logger: silentLogger }));
  }

  /** Appends to the log, without the file of an executor. */
  async function append({ id: run, attempt }: Run, ...pieces: Uint8Array[]): Promise<void> {
    for (const bytes of pieces) {
      const times = [{ offset: 0, atMs: START_MS }];
      await parts.append({ run, attempt, origin: 'daemon', bytes, after: null, position: null, times });
    }
  }

  const end = ({ id, attempt }: Run) =>
    opened.storage.runQueue.finish({
      id,
      attempt,
      result: { state: 'succeeded', error: null, exitCode: 0 },
      at: START_MS,
    });

  async function readAll(logs: SharedRunLogs, { id }: Run): Promise<Buffer> {
    return Buffer.from((await logs.reader.read(id, 0, 2 ** 30))!);
  }

  /** The sizes of the parts of a log: those in the database, and those in the bucket. */
  async function locateParts({ id }: Run): Promise<{ here: number[]; moved: number[] }> {
    const found = await parts.read({ run: id, offset: 0, limit: 2 ** 40 });
    const sizes = (isHere: boolean) => found.filter(({ bytes }) => (bytes !== null) === isHere).map(({ size }) => size);
    return { here: sizes(true), moved: sizes(false) };
  }

  const objectsOf = ({ id }: Run) => {
    const names = readdirSync(join(folder.path, 's3', server.settings.bucket, 'run-logs'), { recursive: true });
    return names.filter((name) => name.toString().startsWith(`${id}/`) && name.toString().endsWith('_object'));
  };

  it('are in the database until they no longer change, then in the bucket, and are read from both', async () => {
    const run = await runs.claim();
    const pieces = [randomBytes(300_000), randomBytes(200_000), randomBytes(10)];
    await append(run, ...pieces);
    startMover();
    await eventually(async () => (await locateParts(run)).moved.length === 2);
    expect(await locateParts(run)).toEqual({ here: [10], moved: [262_144, 237_856] });
    expect((await readAll(openLogs(), run)).equals(Buffer.concat(pieces))).toBe(true);
    expect(Buffer.from((await openLogs().reader.read(run.id, 262_140, 8))!)).toEqual(
      Buffer.concat(pieces).subarray(262_140, 262_148),
    );
    await append(run, Buffer.from('the end'));
    await end(run);
    await eventually(async () => (await locateParts(run)).here.length === 0);
    expect((await readAll(openLogs(), run)).equals(Buffer.concat([...pieces, Buffer.from('the end')]))).toBe(true);
    expect(await openLogs().reader.times(run.id, 300_000, 1)).toEqual([{ offset: 262_144, atMs: START_MS }]);
  });

  it('stay in the database while the bucket is not available', async () => {
    const run = await runs.claim();
    const output = randomBytes(200_000);
    await server.stop();
    startMover();
    await append(run, output);
    expect((await readAll(openLogs(), run)).equals(output)).toBe(true);
    await server.start();
    await eventually(async () => (await locateParts(run)).moved.length === 1);
    await server.stop();
    await expect(readAll(openLogs(), run)).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: /^The object store of run logs \(storage\.s3\): /,
    });
    await server.start();
    expect((await readAll(openLogs(), run)).equals(output)).toBe(true);
  });

  it('are moved by the leader, with a key that the store knows', async () => {
    const run = await runs.claim();
    await append(run, randomBytes(200_000));
    let asked = 0;
    startMover({ isLeader: () => ++asked === 0 });
    const unknownKey = { ...server.settings, accessKeyId: 'somebody' };
    startMover({ settings: unknownKey });
    await expect(createS3Objects(unknownKey).put('x', Buffer.from('x'))).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: /InvalidAccessKeyId/,
    });
    await eventually(() => asked === 2);
    expect((await locateParts(run)).moved).toEqual([]);
    startMover();
    await eventually(async () => (await locateParts(run)).moved.length === 1);
  });

  it('are removed from both', async () => {
    const [run, kept] = [await runs.claim(), await runs.claim()];
    await append(run, randomBytes(200_000), randomBytes(200_000), randomBytes(10));
    await append(kept, randomBytes(200_000));
    startMover();
    await eventually(async () => (await locateParts(run)).moved.length === 2);
    await eventually(async () => (await locateParts(kept)).moved.length === 1);
    const { shared } = openLogs();
    await server.stop();
    await expect(shared!.remove(run.id)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await parts.size(run.id)).toBe(400_010);
    await server.start();
    await shared!.remove(run.id);
    expect(await parts.size(run.id)).toBeNull();
    expect([objectsOf(run).length, objectsOf(kept).length]).toEqual([0, 1]);
  });

  it('name the object that is missing, and the configuration that is missing', async () => {
    const run = await runs.claim();
    await append(run, randomBytes(200_000));
    startMover();
    await eventually(async () => (await locateParts(run)).moved.length === 1);
    await expect(readAll(openLogs(null), run)).rejects.toThrow(/Configure storage\.s3 as it was/);
    await createS3Objects(server.settings).removeAll(`${run.id}/`);
    await expect(readAll(openLogs(), run)).rejects.toThrow(/^The object run_.*\/0-200000 of this log is missing/);
  });
});
