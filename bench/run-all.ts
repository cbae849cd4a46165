import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './kit/machine.ts';
import { type BenchName, NAMES, SEPARATE } from './kit/names.ts';
import { PUBLISHED_NAMES } from './kit/published.ts';
import { formatReport, type Report } from './kit/report.ts';
import { writePage } from './kit/write-figures.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/**
 * Runs each benchmark but the separate ones in a separate process, one after another, with the same options, and writes its tables to
 * `docs/performance.md`. With `--quick`, it only prints them. Resolves to 1 if a benchmark failed; its tables stay as they
 * are.
 */
export async function runAll(args: readonly string[]): Promise<number> {
  const isQuick = args.includes('--quick');
  const failed: BenchName[] = [];
  for (const name of NAMES) {
    if (SEPARATE.includes(name)) continue;
    const begunMs = performance.now();
    const report = await runOne(name, args);
    const seconds = Math.round((performance.now() - begunMs) / 1_000);
    process.stderr.write(`${name}: ${report === null ? 'failed' : 'done'} after ${seconds} s\n`);
    if (report === null) {
      failed.push(name);
      continue;
    }
    process.stdout.write(`${formatReport(report)}\n`);
    if (!isQuick && PUBLISHED_NAMES.includes(name)) writePage(report);
  }
  if (failed.length === 0) return 0;
  process.stderr.write(`Failed: ${failed.join(', ')}, on ${describeMachine().cores} cores.\n`);
  return 1;
}

/** `null` if it failed; its message is on standard error. */
async function runOne(name: BenchName, args: readonly string[]): Promise<Report | null> {
  const argv = [
    '--import',
    'tsx',
    MAIN,
    name,
    '--json',
    ...args.filter((arg) => arg !== '--json' && arg !== '--write'),
  ];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => void child.kill();
  process.once('exit', kill);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  process.off('exit', kill);
  return code === 0 ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as Report) : null;
}
