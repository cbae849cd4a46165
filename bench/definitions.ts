import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { validateOffline } from '../src/cli/offline/validate-offline.ts';

/**
 * Measures the validation of a factory with 100, 1,000 and 10,000 automations: as a complete process with a cold start, and in
 * a warm process, compared with the YAML parser alone. All columns except the first are processor time, so that a busy
 * machine has little effect. The cost per automation shows whether the total grows linearly.
 * Usage: `npm run bench -- definitions [rounds] [automations ...]`.
 */
const rounds = Number(process.argv[2] ?? 5);
const sizes = process.argv.length > 3 ? process.argv.slice(3).map(Number) : [100, 1_000, 10_000];
const WEBHOOKS = 20;
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const HEADS = ['automations', 'cold wall ms', 'cold ms', 'warm ms', 'warm µs each', 'yaml µs each', 'ratio'];
/** Prints the resource usage of the whole process on standard error. */
const PRINT_USAGE = `data:text/javascript,process.on('exit',()=>console.error(JSON.stringify(process.cpuUsage())))`;
const writeRow = (cells: readonly string[]) =>
  process.stdout.write(`${cells.map((cell) => cell.padStart(14)).join('')}\n`);

process.stdout.write(`${rounds} rounds, the fastest of each counts; Node ${process.versions.node}\n`);
writeRow(HEADS);
// The first tree warms up: it includes the cost of compilation.
const warmUp = createFactory(1_000);
await validateOffline(warmUp);
rmSync(warmUp, { recursive: true });
for (const size of sizes) await measure(size);

async function measure(size: number): Promise<void> {
  const folder = createFactory(size);
  const best = { wall: Infinity, cold: Infinity, warm: Infinity, bare: Infinity };
  for (let round = 0; round < rounds; round++) {
    const begunMs = performance.now();
    best.cold = Math.min(best.cold, runCold(folder));
    best.wall = Math.min(best.wall, performance.now() - begunMs);
    best.warm = Math.min(best.warm, await timeOf(() => validateOffline(folder)));
    best.bare = Math.min(best.bare, await timeOf(() => parseBare(size)));
  }
  rmSync(folder, { recursive: true });
  const { wall, cold, warm, bare } = best;
  const whole = [wall, cold, warm].map((ms) => ms.toFixed(0));
  const each = [warm, bare].map((ms) => ((ms * 1000) / size).toFixed(1));
  writeRow([String(size), ...whole, ...each, (warm / bare).toFixed(2)]);
}

async function timeOf(act: () => unknown): Promise<number> {
  const begun = process.cpuUsage();
  await act();
  return toMs(process.cpuUsage(begun));
}

/** Processor milliseconds of a complete process. */
function runCold(folder: string): number {
  const argv = ['--import', PRINT_USAGE, PROGRAM, 'validate', '--strict', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`validate ended with ${status}: ${stdout}${stderr}`);
  return toMs(JSON.parse(stderr) as NodeJS.CpuUsage);
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** The same front matters, parsed with the defaults of the library. */
function parseBare(size: number): void {
  for (let i = 0; i < size; i++) parseDocument(writeFrontMatter(i)).toJS();
}

function createFactory(size: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-bench-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (let i = 0; i < WEBHOOKS; i++) write(`webhooks/sender-${i}.yaml`, `authMode: token\nsecretName: SENDER_${i}\n`);
  for (let i = 0; i < size; i++) {
    write(`automations/work-${i}/automation.md`, `---\n${writeFrontMatter(i)}---\nLook into it, and say what to do.\n`);
  }
  return folder;
}

/** All are different. */
function writeFrontMatter(i: number): string {
  return `description: Looks into failed builds of project ${i}
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [sender-${i % WEBHOOKS}]
      payload:
        build:
          status: [failed, broken]
          project: [project-${i}]
          branch: { not_in: [experiments] }
`;
}
