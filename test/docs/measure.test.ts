import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_LOOPS } from '../../scripts/measure/rows.ts';
import { listSources } from '../../scripts/measure/source-files.ts';
import { listRearmed, measureFunctions } from '../../scripts/measure/syntax.ts';
import { locate } from '../helpers/documents.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

describe('npm run measure', { tags: 'full' }, () => {
  let run: SpawnSyncReturns<string>;
  let rows: RegExpExecArray[];
  beforeAll(() => {
    const cwd = fileURLToPath(locate('.'));
    run = spawnSync(process.execPath, ['scripts/measure.ts'], { cwd, encoding: 'utf8' });
    rows = [...run.stdout.matchAll(/^(.+?) +([\d,]+)(?: {2}at most ([\d,]+))?(: missed)?$/gm)];
  });
  const toNumber = (text: string | undefined) => Number(text?.replaceAll(',', ''));

  it('prints a value for each measure', () => {
    expect(run.stderr).toBe('');
    expect(rows.map(([row]) => row)).toEqual(run.stdout.trimEnd().split('\n'));
    expect(rows.filter(([, , value]) => !(toNumber(value) > 0))).toEqual([]);
  });

  it('marks the values above their limits, and then exits with 1', () => {
    const missed = rows.filter(([, , value, limit]) => limit !== undefined && toNumber(value) > toNumber(limit));
    expect(rows.filter((row) => row[4] !== undefined)).toEqual(missed);
    expect(run.status).toBe(missed.length === 0 ? 0 : 1);
  });

  it('finds no value above its limit', () => {
    expect(rows.filter((row) => row[4] !== undefined).map(([row]) => row)).toEqual([]);
  });
});

function writeSource(source: string): string {
  const path = join(createTempDir('measure'), 'source.ts');
  writeFileSync(path, source);
  return path;
}

describe('a loop', () => {
  it.each([
    [
      'a class that works and waits in turn',
      'class Loop { #wake() { void this.#work(); } async #work() { await work(); this.#wait(); } #wait() { scheduleCall(1, () => this.#wake()); } }',
    ],
    ['a function that calls itself later', 'function Loop() { setTimeout(() => work().finally(Loop), 1); }'],
    ['a scheduler that is a parameter', 'class Loop { async work() { this.#parts.schedule(1, () => this.work()); } }'],
  ])('is %s', (_, source) => {
    expect(listRearmed(writeSource(source))).toEqual(['Loop']);
  });

  it.each([
    ['a deadline', 'class Once { async work() { setTimeout(() => this.stop(), 1); } stop() {} }'],
    [
      'a throttle',
      'function flush() { write(); } function throttle() { setTimeout(() => { flush(); throttle(); }, 1); }',
    ],
  ])('is not %s', (_, source) => {
    expect(listRearmed(writeSource(source))).toEqual([]);
  });
});

it('each exception from the loops still arms its timer again', () => {
  const owners = Object.keys(NO_LOOPS);
  const named = listSources().filter((path) => {
    const source = readFileSync(path, 'utf8');
    return owners.some((owner) => source.includes(owner));
  });
  const found = named.flatMap(listRearmed);
  expect(owners.filter((owner) => !found.includes(owner))).toEqual([]);
});

it('functions are measured from their first to their last line', () => {
  const path = writeSource('/** Two. */\nexport const two = () => {\n  return 2;\n};\nclass A {\n  one() {}\n}\n');
  expect(measureFunctions(path).map(({ name, lines }) => [name, lines])).toEqual([
    ['two', 3],
    ['one', 1],
  ]);
});
