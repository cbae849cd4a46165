import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { validateOffline } from '../src/cli/offline/validate-offline.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { type Benchmark, type BenchOptions, divide, type Row, row, type Table } from './kit/benchmark.ts';

/** Validation as a complete process with a cold start, and in a warm process, compared with the YAML parser alone. */
export const benchmark: Benchmark = {
  summary: 'validation of 100, 1,000 and 10,000 automations, cold and warm, compared with the YAML parser alone',
  isDurable: false,
  defaults: { rounds: 5, seconds: 1 },
  run,
};

const SIZES = [100, 1_000, 10_000];
const WEBHOOKS = 20;
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Prints the resource usage of the whole process on standard error. */
const PRINT_USAGE = `data:text/javascript,process.on('exit',()=>console.error(JSON.stringify(process.cpuUsage())))`;
async function run({ rounds, isQuick }: BenchOptions): Promise<Table[]> {
  const sizes = isQuick ? [20] : SIZES;
  // The first tree warms up: it includes the cost of compilation.
  await validateOffline(createFactory(isQuick ? 20 : 1_000));
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await measure(size, rounds)));
  const notes = [
    'All figures except the wall time are processor time.',
    'The cost of one automation shows whether the total grows linearly.',
  ];
  return [{ title: 'Validation of definitions', rows, notes }];
}

async function measure(size: number, rounds: number): Promise<Row[]> {
  const folder = createFactory(size);
  const [wall, cold, warm, bare]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round < rounds; round++) {
    const begunMs = performance.now();
    cold.push(runCold(folder));
    wall.push(performance.now() - begunMs);
    warm.push(await timeOf(() => validateOffline(folder)));
    bare.push(await timeOf(() => parseBare(size)));
  }
  const each = (samples: number[]) => samples.map((ms) => (ms * 1_000) / size);
  const label = size.toLocaleString('en');
  return [
    row(`${label} automations, cold process, wall time`, 'ms', wall),
    row(`${label} automations, cold process`, 'ms', cold),
    row(`${label} automations, warm`, 'ms', warm),
    row(`${label} automations, warm, each`, 'µs', each(warm)),
    row(`${label} automations, YAML parser alone, each`, 'µs', each(bare)),
    row(`${label} automations, warm, ratio to the YAML parser`, '×', divide(warm, bare)),
  ];
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
  const folder = createTempDir('bench');
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
