import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { messageOf } from '../../src/domain/errors.ts';
import type { RunId } from '../../src/domain/ids.ts';
import { MAX_PART_BYTES, type NewLogPart, type RunLogParts } from '../../src/domain/ports/run-files.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createLogSink, LOG_LIMIT_BYTES } from '../../src/runs/executors/log/log-sink.ts';
import { createRunLogReader } from '../../src/runs/executors/log/run-log.ts';
import { SharedRunLogs } from '../../src/runs/executors/log/shared/shared-run-logs.ts';
import type { PostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { type ClaimedRuns, openClaimedRuns } from '../helpers/claimed-runs.ts';
import { silentLogger } from '../helpers/command-runs.ts';
import { eventually } from '../helpers/eventually.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';
import { withClient } from '../helpers/start-postgres.ts';
import { POSTGRES, useFolder, useStorage } from '../helpers/with-storage.ts';

const opened = useStorage(POSTGRES);
const folder = useFolder();
let parts: RunLogParts;
let runs: ClaimedRuns;
let run: Run;

beforeEach(async () => {
  parts = (opened.storage as PostgresStorage).runLogParts;
  runs = await openClaimedRuns(opened.storage);
  run = await runs.claim();
});

const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;

/** The next output of the executor of an attempt. */
function part(bytes: Uint8Array, after: number, { id, attempt }: Run = run): NewLogPart {
  const times = [{ offset: 0, atMs: after }];
  return { run: id, attempt, origin: 'executor', bytes, after, position: after + bytes.length, times };
}

async function readParts(limit = 2 ** 40) {
  return parts.read({ run: run.id, offset: 0, limit });
}

async function readAll(): Promise<Buffer> {
  return Buffer.concat((await readParts()).map(({ bytes }) => bytes!));
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('the parts of a log', () => {
  it('are few and bounded, have no gaps, and are the bytes that were appended', async () => {
    const random = createSeededRandom(7);
    const pieces = Array.from({ length: 400 }, (_, index) =>
      Buffer.alloc(
        index % 50 === 0 ? Math.floor(random.next() * 400_000) + 1 : Math.floor(random.next() * 500) + 1,
        `${index};`,
      ),
    );
    let length = 0;
    for (const piece of pieces) {
      expect(await parts.append(part(piece, length))).toEqual({ outcome: 'appended', offset: length });
      length += piece.length;
    }
    const stored = await readParts();
    let end = 0;
    for (const { offset, size, bytes } of stored) {
      expect([offset, bytes!.length]).toEqual([end, size]);
      expect(size).toBeLessThanOrEqual(MAX_PART_BYTES);
      end += size;
    }
    expect(await parts.size(run.id)).toBe(length);
    expect(digest(await readAll())).toBe(digest(Buffer.concat(pieces)));
    // 50 for the large pieces, and the logarithm of the others between them.
    expect(stored.length).toBeLessThan(120);
  });

  it('of a slow run grow with the logarithm of their number', { tags: 'full' }, async () => {
    for (let index = 0; index < 1_000; index += 1) await parts.append(part(Buffer.from('0123456789'), index * 10));
    expect((await readParts()).length).toBeLessThanOrEqual(12);
    expect((await readAll()).length).toBe(10_000);
    // `part` counts milliseconds like bytes, so the second of a time shows whether it is that of its offset.
    const all = await parts.times({ run: run.id, offset: 0, limit: 1_000 });
    expect(all.every(({ offset, atMs }) => offset === atMs)).toBe(true);
    expect(all.length).toBeLessThanOrEqual(10 + 12);
    const some = await parts.times({ run: run.id, offset: 5_000, limit: 3 });
    const first = all.findLastIndex(({ offset }) => offset <= 5_000);
    expect(some).toEqual(all.slice(first, first + 3));
    expect(5_000 - some[0]!.offset).toBeLessThan(1_000);
  });

  it('that are repeated or not the next ones are not appended', async () => {
    await parts.append(part(Buffer.from('one'), 0));
    expect(await parts.append(part(Buffer.from('one'), 0))).toEqual({ outcome: 'known' });
    expect(await parts.append(part(Buffer.from('one two'), 0))).toEqual({ outcome: 'changed' });
    expect(await parts.append(part(Buffer.from('three'), 7))).toEqual({ outcome: 'changed' });
    expect(await parts.received({ run: run.id, attempt: 1, origin: 'executor' })).toBe(3);
    expect(await parts.received({ run: run.id, attempt: 1, origin: 'holder' })).toBe(0);
    expect((await readAll()).toString()).toBe('one');
  });

  it('of several writers at the same time follow each other', async () => {
    const write = async (origin: NewLogPart['origin']) => {
      for (let index = 0; index < 30; index += 1) {
        const bytes = Buffer.from(`${origin} ${index}\n`);
        const after = await parts.received({ run: run.id, attempt: 1, origin });
        expect(await parts.append({ ...part(bytes, after), origin })).toMatchObject({ outcome: 'appended' });
      }
    };
    await Promise.all([write('executor'), write('holder'), write('daemon')]);
    const lines = (await readAll()).toString().trimEnd().split('\n');
    expect(lines).toHaveLength(90);
    for (const origin of ['executor', 'holder', 'daemon']) {
      const own = lines.filter((line) => line.startsWith(origin));
      expect(own).toEqual(Array.from({ length: 30 }, (_, index) => `${origin} ${index}`));
    }
  });

  it('of an earlier attempt are rejected once a later attempt has output, whose beginning is stored', async () => {
    await parts.append(part(Buffer.from('one'), 0));
    const second = await runs.retry(run);
    // The lost machine may still send: nobody else has written.
    expect(await parts.append(part(Buffer.from(' and more'), 3))).toMatchObject({ outcome: 'appended' });
    expect(await parts.append(part(Buffer.from('two'), 0, second))).toEqual({ outcome: 'appended', offset: 12 });
    expect(await parts.append(part(Buffer.from('late'), 12))).toEqual({ outcome: 'closed' });
    expect((await readAll()).toString()).toBe('one and moretwo');
    const attempts = (await opened.storage.runReader.attempts([run.id])).get(run.id)!;
    expect(attempts.map(({ logOffset }) => logOffset)).toEqual([0, 12]);
  });

  it('are removed with their run, and found if only the run was removed', async () => {
    const other = await runs.claim();
    await parts.append(part(Buffer.from('one'), 0));
    await parts.append(part(Buffer.from('other'), 0, other));
    expect(await parts.orphans(10)).toEqual([]);
    await withClient(`${inject('postgresUrl')}/contract_${process.pid}`, (client) =>
      client.query('DELETE FROM runs WHERE id = $1', [run.id]),
    );
    expect(await parts.orphans(10)).toEqual([run.id]);
    expect(await parts.append(part(Buffer.from('late'), 3))).toEqual({ outcome: 'closed' });
    await parts.remove(run.id);
    expect(await parts.orphans(10)).toEqual([]);
    expect([await parts.size(run.id), await parts.size(other.id)]).toEqual([null, 5]);
  });
});

describe('the size of all logs', () => {
  it('is limited by removing those of the oldest ended runs', async () => {
    const [second, third] = [await runs.claim(), await runs.claim()];
    const fill = (of: Run) => parts.append(part(Buffer.alloc(10_000, 'x'), 0, of));
    const end = ({ id, attempt }: Run) =>
      opened.storage.runQueue.finish({ id, attempt, result: SUCCEEDED, at: systemClock.wallMs() });
    for (const of of [run, second, third]) await fill(of);
    for (const of of [second, third]) await end(of);
    const { shared, reader } = new SharedRunLogs({
      parts,
      objects: null,
      unsentDir: folder.path,
      earlier: createRunLogReader(`${folder.path}/none`),
      clock: systemClock,
      logger: silentLogger,
    });
    const limit = (limitBytes: number) => shared!.limitSpace({ limitBytes, isStopped: () => false });
    expect(await limit(30_000)).toEqual({ runs: 0, bytes: 0, stuck: [] });
    expect(await limit(29_000)).toEqual({ runs: 1, bytes: 10_000, stuck: [] });
    const log = Buffer.from((await reader.read(second.id, 0, 1_000))!).toString();
    expect(log).toMatch(
      /^\[dockbell: the log of this run was removed at .* to make room, see retention\.runBytes\]\n$/,
    );
    expect([await parts.size(run.id), await parts.size(third.id)]).toEqual([10_000, 10_000]);
    // The run that has not ended keeps its log, and a line that replaced a log stays.
    expect(await limit(1)).toEqual({ runs: 1, bytes: 10_000, stuck: [] });
    expect(await limit(1)).toEqual({ runs: 0, bytes: 0, stuck: [] });
    expect(await parts.size(run.id)).toBe(10_000);
  });
});

describe('output of a run', () => {
  const openLogs = (parts: RunLogParts) =>
    new SharedRunLogs({
      parts,
      objects: null,
      unsentDir: folder.path,
      earlier: createRunLogReader(`${folder.path}/none`),
      clock: systemClock,
      logger: silentLogger,
    });
  const database = () => `contract_${process.pid}`;
  const administer = (...statements: string[]) =>
    withClient(`${inject('postgresUrl')}/postgres`, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const close = () =>
    administer(
      `ALTER DATABASE ${database()} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database()}' AND application_name = 'dockbell'`,
    );
  const open = () => administer(`ALTER DATABASE ${database()} ALLOW_CONNECTIONS true`);

  it('is stored after an interruption of the database, once and completely', async () => {
    const logs = openLogs(parts);
    const log = await logs.openOutput(run);
    const sink = createLogSink(log, LOG_LIMIT_BYTES);
    const write = (text: string) => new Promise((resolve) => sink.write(Buffer.from(text), resolve));
    await write('before\n');
    await eventually(async () => (await parts.size(run.id)) === 7);
    await close();
    try {
      for (let index = 0; index < 100; index += 1) await write(`${index} ${'x'.repeat(9_990)}\n`);
      // A connection of the pool can report first that it was ended.
      const reason = () => parts.size(run.id).then(() => null, messageOf);
      await expect.poll(reason).toMatch(/not currently accepting connections/);
    } finally {
      await open();
    }
    await new Promise<void>((resolve, reject) =>
      sink.end((error?: Error | null) => (error ? reject(error) : resolve())),
    );
    await eventually(() => readdirSync(folder.path).length === 0);
    const lines = (await readAll()).toString().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'before',
      ...Array.from({ length: 100 }, (_, index) => `${index}`),
      '',
    ]);
    await logs.stop();
  });

  it('that a daemon left in files is stored by its next start', async () => {
    const logs = openLogs({ ...parts, append: () => new Promise(() => {}) });
    const log = await logs.openOutput(run);
    await log.times.note(0);
    await log.file.writeFile('one two three');
    await parts.append(part(Buffer.from('one '), 0));
    // The first daemon is killed here.
    const again = openLogs(parts);
    await again.sendEarlier();
    expect((await readAll()).toString()).toBe('one two three');
    expect(readdirSync(folder.path)).toEqual([]);
    await again.stop();
  });

  it('that cannot be read, or that the storage does not take, keeps no other output from being stored', async () => {
    mkdirSync(`${folder.path}/run_${'0'.repeat(26)}.1.log`);
    writeFileSync(`${folder.path}/run_${'0'.repeat(25)}1.1.log`, 'rejected');
    writeFileSync(`${folder.path}/${run.id}.${run.attempt}.log`, 'stored');
    const append: RunLogParts['append'] = async (sent) => {
      if (sent.run !== run.id) throw new Error('rejected');
      return parts.append(sent);
    };
    const logs = openLogs({ ...parts, append });
    const sent = logs.sendEarlier();
    await expect.poll(() => parts.size(run.id)).toBe(6);
    await logs.stop();
    await sent;
  });

  it('of a run that was removed is deleted', async () => {
    const logs = openLogs(parts);
    const removed = { ...run, id: `${run.id.slice(0, -4)}zzzz` as RunId };
    const log = await logs.openOutput(removed);
    await log.file.writeFile('nobody reads this');
    expect(existsSync(`${folder.path}/${removed.id}.1.log`)).toBe(true);
    await log.close();
    expect(readdirSync(folder.path)).toEqual([]);
    await logs.stop();
  });
});
