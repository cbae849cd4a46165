import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type PreparedFactory, prepareFactory, startPrepared, storeDeliveries, TOKEN } from './ingress-subjects.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';

/** The start of commands and of the daemon, compared with the start of Node.js alone. */
export const benchmark: Benchmark = {
  summary: 'the start of commands and of the daemon, compared with the start of Node.js alone',
  isDurable: true,
  defaults: { rounds: 9, seconds: 1 },
  run,
};

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../example-factory', import.meta.url));
const LARGE = { automations: 5_000, stored: 1_000_000 };
const QUICK = { automations: 20, stored: 2_000 };
/** Node.js without a program. */
const BARE = ['-e', '0'];
const PRINT_USAGE = `data:text/javascript,process.on('exit',()=>console.error(JSON.stringify(process.cpuUsage())))`;
const ASK_EVERY_MS = 2;
const START_MS = 60_000;

/** A command, in milliseconds. */
interface CommandTime {
  wallMs: number;
  cpuMs: number;
}

async function run({ rounds, isQuick }: BenchOptions): Promise<Table[]> {
  const { automations, stored } = isQuick ? QUICK : LARGE;
  const small = await prepareFactory({ name: 'small', webhooks: 3, automations: 3, credential: TOKEN });
  const large = await prepareFactory({ name: 'large', webhooks: 20, automations, credential: TOKEN });
  await storeDeliveries(large, stored);
  const path = await findPath(large);
  const bare: CommandTime[] = [];
  const version: CommandTime[] = [];
  const validate: CommandTime[] = [];
  const ready: number[] = [];
  const first: number[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(timeCommand(BARE));
    version.push(timeCommand([MAIN, '--version']));
    validate.push(timeCommand([MAIN, 'validate', EXAMPLE]));
    ready.push(await timeStart(small, { method: 'GET', path: '/readyz' }, 200));
    first.push(await timeStart(large, { method: 'POST', path, body: `{"round":${round}}` }, 202));
  }
  const beyond = (times: CommandTime[], clock: keyof CommandTime) =>
    times.map((time, round) => time[clock] - bare[round]![clock]);
  const of = (times: CommandTime[], clock: keyof CommandTime) => times.map((time) => time[clock]);
  return [
    {
      title: 'Start',
      rows: [
        row('--version, beyond Node.js', 'ms', beyond(version, 'wallMs'), { atMost: 60 }),
        row('--version, beyond Node.js, processor time', 'ms', beyond(version, 'cpuMs'), { atMost: 60 }),
        row('validate of the example, beyond Node.js', 'ms', beyond(validate, 'wallMs'), { atMost: 250 }),
        row('validate of the example, beyond Node.js, processor time', 'ms', beyond(validate, 'cpuMs'), {
          atMost: 250,
        }),
        row('Node.js alone', 'ms', of(bare, 'wallMs')),
        row('Node.js alone, processor time', 'ms', of(bare, 'cpuMs')),
        row('daemon with a small data directory, to /readyz', 'ms', ready, { atMost: 600 }),
        row(
          `daemon with ${automations.toLocaleString('en')} automations and ${stored.toLocaleString('en')} identities, to the first 202`,
          'ms',
          first,
        ),
      ],
      notes: [
        `Each start is a new process. A daemon is asked every ${ASK_EVERY_MS} ms, from the start of its process on.`,
        'The difference to Node.js is of the same round.',
      ],
    },
  ];
}

function timeCommand(args: string[]): CommandTime {
  const begunMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: 'pipe', encoding: 'utf8' });
  const wallMs = performance.now() - begunMs;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const measured = spawnSync(process.execPath, ['--import', PRINT_USAGE, ...args], { encoding: 'utf8' });
  const { user, system } = JSON.parse(measured.stderr.trim().split('\n').at(-1)!) as NodeJS.CpuUsage;
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

/** The path of one webhook. */
async function findPath(factory: PreparedFactory): Promise<string> {
  const subject = await startPrepared(factory, { isCopy: false });
  await subject.stop();
  return subject.paths[0]!;
}

interface Asked {
  method: string;
  path: string;
  body?: string;
}

/** Milliseconds from the start of the process to the first answer with this status. */
async function timeStart({ dataDir, config }: PreparedFactory, asked: Asked, expected: number): Promise<number> {
  const port = await findFreePort();
  const file = join(dataDir, 'dockbell.yaml');
  writeFileSync(file, stringify({ ...config, dataDir, ingress: { port }, admin: { port: 0 } }));
  const begunMs = performance.now();
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  try {
    while ((await ask(port, asked)) !== expected) {
      if (child.exitCode !== null || performance.now() - begunMs > START_MS)
        throw new Error('the daemon did not start');
      await pause(ASK_EVERY_MS);
    }
    return performance.now() - begunMs;
  } finally {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The status, or 0 if nothing answers. */
function ask(port: number, { method, path, body }: Asked): Promise<number> {
  const token = TOKEN.kind === 'token' ? TOKEN.token : '';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}
