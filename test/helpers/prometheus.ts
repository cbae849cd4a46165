import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { eventually } from './eventually.ts';
import { createTempDir } from './temp-dir.ts';

/** Are Prometheus and promtool installed? Otherwise says loudly what is skipped. */
export function hasPrometheus(skipped: string): boolean {
  const isThere = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0);
  if (!isThere) console.warn(`SKIPPED: ${skipped}. Prometheus is not installed (Debian package prometheus).`);
  return isThere;
}

/** Runs promtool, with `input` on its standard input. Returns its exit code and its whole output. */
export function runPromtool(args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { code: status, output: `${stdout}${stderr}` };
}

export interface TestPrometheus {
  /** The series of an instant query: their labels, and the value now. Throws if Prometheus rejects the query. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>;
  stop(): Promise<void>;
}

/** Starts Prometheus with this configuration, and resolves when it answers queries. */
export async function startPrometheus(config: object): Promise<TestPrometheus> {
  const dir = createTempDir('prometheus');
  const file = join(dir, 'prometheus.yml');
  writeFileSync(file, stringify(config));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn('prometheus', args, { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('close', resolve));
  await eventually(async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok ?? false, 30_000);
  return {
    query: async (expression) => {
      const response = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expression }),
      });
      const { data, error } = (await response.json()) as QueryAnswer;
      if (data === undefined) throw new Error(`${expression}: ${error}`);
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

interface QueryAnswer {
  data?: { result: { metric: Record<string, string>; value: [at: number, value: string] }[] };
  error?: string;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
