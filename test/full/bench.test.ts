import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NAMES } from '../../bench/kit/names.ts';
import type { Report } from '../../bench/kit/report.ts';
import { findChromium } from '../helpers/find-chromium.ts';

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function runQuickly(name: string) {
  // Compared with itself, because a test has no other checkout.
  const args = name === 'compare' ? ['--baseline', ROOT] : [];
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, name, '--quick', '--json', ...args]);
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (chunk) => output[stream].push(chunk));
  const [code] = await once(child, 'close');
  return { code, stdout: Buffer.concat(output.stdout).toString(), stderr: Buffer.concat(output.stderr).toString() };
}

/** Of one benchmark. A busy machine takes a multiple of the usual half minute. */
const BENCHMARK_MS = 300_000;

const canRun = (name: string) => name !== 'dashboard' || findChromium() !== null;

describe.concurrent.each(NAMES)('the benchmark %s', (name) => {
  it.skipIf(!canRun(name))(
    'gets only expected answers, and its figures are numbers',
    { timeout: BENCHMARK_MS },
    async ({ expect }) => {
      const { code, stdout, stderr } = await runQuickly(name);
      expect(code, stderr).toBe(0);
      const report = JSON.parse(stdout) as Report;
      expect(report.tables.length).toBeGreaterThan(0);
      for (const { title, rows } of report.tables) {
        expect(rows.length, title).toBeGreaterThan(0);
        for (const { measure, samples } of rows) {
          expect(samples.length, measure).toBeGreaterThan(0);
          expect(samples.every(Number.isFinite), `${title}: ${measure}: ${samples}`).toBe(true);
        }
      }
    },
  );
});

it('a benchmark that does not exist ends with a usage message', async () => {
  const { code, stderr } = await runQuickly('speed');
  expect(code).toBe(2);
  expect(stderr).toContain('ingress');
});
