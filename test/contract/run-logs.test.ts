import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/resources/run.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { createLogSink, LOG_LIMIT_BYTES } from '../../src/runs/executors/log/log-sink.ts';
import { createRunLogReader, renderAttemptMark } from '../../src/runs/executors/log/run-log.ts';
import { createLocalRunLogs, type RunLogs } from '../../src/runs/executors/log/run-logs.ts';
import { SharedRunLogs } from '../../src/runs/executors/log/shared/shared-run-logs.ts';
import type { PostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { type ClaimedRuns, openClaimedRuns } from '../helpers/claimed-runs.ts';
import { silentLogger } from '../helpers/command-runs.ts';
import { eventually } from '../helpers/eventually.ts';
import { POSTGRES, SQLITE, useFolder, useStorage } from '../helpers/with-storage.ts';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');

/** With SQLite, each daemon has its own logs. With PostgreSQL, several daemons share them. */
describe.each([SQLITE, POSTGRES])('the logs of runs with $name', (kind) => {
  const opened = useStorage(kind);
  const folder = useFolder();
  let runs: ClaimedRuns;
  let nowMs: number;
  const clock: Clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
  const daemons: SharedRunLogs[] = [];

  beforeEach(async () => {
    nowMs = NOW;
    runs = await openClaimedRuns(opened.storage);
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop();
  });

  /** The logs as a daemon with this data directory sees them. */
  function openLogs(name = 'one'): RunLogs {
    if (kind === SQLITE) return createLocalRunLogs(join(folder.path, 'run-logs'), clock);
    const logs = new SharedRunLogs({
      parts: (opened.storage as PostgresStorage).runLogParts,
      objects: null,
      unsentDir: join(folder.path, name),
      earlier: createRunLogReader(join(folder.path, 'run-logs')),
      clock,
      logger: silentLogger,
    });
    daemons.push(logs);
    return logs;
  }

  /** Writes the output of an attempt, as an executor does. */
  async function writeOutput(logs: RunLogs, run: Run, output: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const log = await logs.openOutput(run);
    const sink = createLogSink(log, LOG_LIMIT_BYTES);
    sink.write(renderAttemptMark(run, clock));
    const bytes = Readable.from(output).map((text) => Buffer.from(text));
    await pipeline(bytes, sink);
  }

  async function readAll({ reader }: RunLogs, { id }: Run, pieceBytes = 262_144): Promise<string> {
    const pieces: Uint8Array[] = [];
    for (let length = 0; ; ) {
      const piece = await reader.read(id, length, pieceBytes);
      if (piece === null || piece.length === 0) return Buffer.concat(pieces).toString();
      pieces.push(piece);
      length += piece.length;
    }
  }

  it('a run without output has an empty log, or none', async () => {
    const run = await runs.claim();
    const logs = openLogs();
    expect(await readAll(logs, run)).toBe('');
    await writeOutput(logs, run, []);
    expect(await readAll(logs, run)).toBe('');
    expect(await logs.reader.times(run.id, 0, 10)).toEqual([]);
  });

  it('has the output of an attempt when the attempt ends', async () => {
    const run = await runs.claim();
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}: caf\u00e9\n`);
    await writeOutput(openLogs(), run, lines);
    expect(await readAll(openLogs('two'), run)).toBe(lines.join(''));
    expect(await readAll(openLogs('two'), run, 7_919)).toBe(lines.join(''));
  });

  it('shows the output while it is written, in order and without gaps', async () => {
    const run = await runs.claim();
    const [writer, reader] = [openLogs(), openLogs('two')];
    const expected = Array.from({ length: 3 }, (_, index) => `${index} ${'x'.repeat(100_000)}\n`).join('');
    async function* output() {
      for (let index = 0; index < 3; index += 1) {
        yield `${index} ${'x'.repeat(100_000)}\n`;
        const untilHere = (index + 1) * 100_003;
        await eventually(async () => {
          const seen = await readAll(reader, run);
          expect(expected.startsWith(seen)).toBe(true);
          return seen.length === untilHere;
        });
      }
    }
    await writeOutput(writer, run, output());
    expect(await readAll(reader, run)).toBe(expected);
  });

  it('continues with the next attempt, also on another machine', async () => {
    const first = await runs.claim();
    await writeOutput(openLogs('one'), first, ['first\n']);
    const second = await runs.retry(first);
    expect(second.attempt).toBe(2);
    nowMs += 60_000;
    await writeOutput(openLogs('two'), second, ['second\n']);
    const logs = openLogs('three');
    expect(await readAll(logs, first)).toMatch(/^first\n\n\[dockbell: attempt 2, .*\]\nsecond\n$/);
    expect(await logs.reader.times(first.id, 0, 10)).toEqual([
      { offset: 0, atMs: NOW },
      { offset: 6, atMs: NOW + 60_000 },
    ]);
    expect(await logs.reader.times(first.id, 5, 1)).toEqual([{ offset: 0, atMs: NOW }]);
    expect(await logs.reader.times(first.id, 1_000_000, 1)).toEqual([{ offset: 6, atMs: NOW + 60_000 }]);
  });

  it('has what the holder of an attempt reports, with a mark before each later attempt', async () => {
    const run = await runs.claim();
    const logs = openLogs();
    expect(await logs.writer.begin(run)).toBe(0);
    await logs.writer.append(run, 'one\n', 4);
    await logs.writer.append(run, 'two\n', 8);
    const later = { ...run, attempt: 2 };
    expect(await logs.writer.begin(later)).toBe(8);
    await logs.writer.append(later, 'three\n', 6);
    await logs.writer.append(later, '[a note]\n');
    expect(await readAll(openLogs('two'), run)).toMatch(
      /^one\ntwo\n\n\[dockbell: attempt 2, .*\]\nthree\n\[a note\]\n$/,
    );
  });

  it('ends at its limit with a mark', async () => {
    const run = await runs.claim();
    const logs = openLogs();
    const text = 'x'.repeat(1_000_000);
    for (let length = 0; length < 11_000_000; length += text.length) await logs.writer.append(run, text, length + 1e6);
    const log = await readAll(logs, run);
    expect(log.length).toBeLessThanOrEqual(LOG_LIMIT_BYTES);
    expect(log).toMatch(
      /^x+\n\[dockbell: the log ends here, at its limit of \d+ bytes; \d+ more bytes were dropped\]\n$/,
    );
  });

  it('rejects a malformed ID', async () => {
    const { reader } = openLogs();
    const id = '../etc/passwd' as Run['id'];
    await expect(reader.read(id, 0, 1)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(reader.times(id, 0, 1)).rejects.toMatchObject({ code: 'bad_request' });
  });
});
