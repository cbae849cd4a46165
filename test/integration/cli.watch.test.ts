import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliSurroundings, runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, RUN_ID, type SeededServices } from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;

beforeEach(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), DOCKBELL_FACTORY: 'payments', NO_COLOR: '1' };
});
afterEach(() => app.close());

/** Runs a command and calls `change` before the second list, then Ctrl-C before the third. */
async function watch(line: string, change: () => unknown, more: CliSurroundings = {}) {
  const interrupt = new AbortController();
  let lists = 0;
  const onSleep = async (ms: number) => {
    if (ms !== 1000) return new Promise<void>((resolve) => setTimeout(resolve, 20));
    lists += 1;
    if (lists === 1) await change();
    else interrupt.abort();
  };
  return runCli(line.split(' '), { env, clock: services.clock, interrupt: interrupt.signal, onSleep, ...more });
}

const cancel = () => services.runControl.cancel(RUN_ID);

describe('without a terminal, --watch prints', () => {
  it('all rows, then each row that has changed, and returns 0 after Ctrl-C', async () => {
    const { code, stdout, stderr } = await watch('run list --watch', cancel);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const states = stdout.split('\n').map((row) => row.split('  ').slice(0, 3));
    expect(states).toEqual([[RUN_ID, 'fix-errors', 'running'], [RUN_ID, 'fix-errors', 'cancelled'], ['']]);
  });

  it('nothing more if nothing has changed', async () => {
    const { stdout } = await watch('run list --watch --fields id,state', () => undefined);
    expect(stdout).toBe(`${RUN_ID}  running\n`);
  });

  it('names only once', async () => {
    expect((await watch('run list --watch -q', cancel)).stdout).toBe(`${RUN_ID}\n`);
  });

  it('rows in the format of the options', async () => {
    const json = await watch('run list --watch --json --fields state', cancel);
    expect(json.stdout).toBe('{"state":"running"}\n{"state":"cancelled"}\n');
    expect(json.code).toBe(0);
  });

  it.each([
    ['status', 'payments'],
    ['webhook list', 'by-url\ninternal-ci'],
    ['automation list', 'fix-errors'],
    ['delivery list internal-ci', 'dlv_'],
  ])('the rows of %s', async (line, names) => {
    const { code, stdout } = await watch(`${line} --watch -q`, () => undefined);
    expect(code).toBe(0);
    expect(stdout).toContain(names);
    const yaml = await watch(`${line} --watch -o yaml`, () => undefined);
    expect(parse(yaml.stdout.split('---\n')[1]!)).toHaveProperty(line.startsWith('delivery') ? 'id' : 'name');
  });
});

describe('on a terminal, --watch', () => {
  it('draws the list again from the first line', async () => {
    const { code, stdout } = await watch('run list --watch', cancel, { columns: 80 });
    const [before, first, second, ...more] = stdout.split('\u001b[H\u001b[J');
    expect([code, before, more]).toEqual([0, '', []]);
    expect(first).toContain('running');
    expect(second).toContain('cancelled');
    expect(second).toMatch(/^ID .*\n/);
  });

  it('shows why the list is not up to date, and continues', async () => {
    const { code, stdout } = await watch('run list --watch', () => app.close(), { columns: 80 });
    expect(code).toBe(0);
    expect(stdout.split('\u001b[H\u001b[J').at(-1)).toMatch(/^Not up to date: .+\nID /);
  });
});

it('--watch ends with the error of the first list', async () => {
  const { code, stderr } = await watch('run list --watch --factory nothing', () => undefined);
  expect([code, stderr.split('\n')[0]]).toEqual([1, "There is no factory 'nothing'."]);
});

it.each(['delivery list --watch --follow', 'status --watch --wait 1234567'])('%s is wrong usage', async (line) => {
  expect(await runCli(line.split(' '), { env })).toMatchObject({ code: 2, stdout: '' });
});
