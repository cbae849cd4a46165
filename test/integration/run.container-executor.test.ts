import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContainerSettings } from '../../src/config/executors/container-kind.ts';
import type { StopOrder } from '../../src/domain/ports/executor.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createRedactingTransform } from '../../src/platform/secrets/redactor.ts';
import { createContainerExecutor } from '../../src/runs/executors/container/container-executor.ts';
import type { ExecutorParts } from '../../src/runs/executors/executor-parts.ts';
import { appendAttempts } from '../../src/runs/executors/log/open-run-log.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import { execute, isAlive, makeRunInput, orderStop, silentLogger, waitUntil } from '../helpers/command-runs.ts';
import { installStandInEngine, type StandInEngine } from '../helpers/stand-in-engine.ts';

const SETTINGS: ContainerSettings = {
  engine: 'docker',
  image: 'ghcr.io/acme/agent:1.4',
  images: [],
  args: ['sh', '-c', 'true'],
  network: 'none',
  memory: '2g',
  cpus: '2',
  pids: 512,
  pull: 'missing',
  engineOptions: [],
};

let dir: string;
let engine: StandInEngine;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dockbell-containers-'));
  engine = installStandInEngine(dir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function makeParts(more: Partial<ExecutorParts> = {}): ExecutorParts {
  return {
    factory: 'payments',
    timeoutMs: 20_000,
    runsDir: join(dir, 'runs'),
    openOutput: appendAttempts(join(dir, 'logs'), systemClock),
    startRecords: createStartRecords(join(dir, 'tickets')),
    searchPath: `${engine.bin}:/usr/local/bin:/usr/bin:/bin`,
    maskOutput: createRedactingTransform,
    secrets: { resolve: async () => ({ outcome: 'missing' }) },
    signWebhook: () => ({}),
    openReports: async () => Promise.reject(new Error('not used')),
    checkOut: async () => ({ ok: true, dir: null }),
    clock: systemClock,
    logger: silentLogger,
    ...more,
  };
}

const open = (settings: Partial<ContainerSettings> = {}, more: Partial<ExecutorParts> = {}) =>
  createContainerExecutor(Object.assign({}, SETTINGS, settings), makeParts(more));
const shell = (script: string) => ({ args: ['sh', '-c', script] });
const logOf = (run: string) => readFileSync(join(dir, 'logs', `${run}.log`), 'utf8');
const startsOf = () => engine.calls().filter(([command]) => command === 'run');

describe('a container', () => {
  it('gets the directory, the prompt and the result of a command', async () => {
    const executor = await open(
      shell('cat - event-payload.json; pwd; echo \'{"summary": "Done"}\' > result.json; exit 3'),
    );
    const input = makeRunInput({ prompt: 'Fix it.\n' });
    const result = await execute(executor, input);
    expect(result).toMatchObject({ state: 'failed', error: 'exit code 3', output: { summary: 'Done' } });
    expect(logOf(input.run.id)).toContain('Fix it.');
    expect(logOf(input.run.id)).toContain(`{"a":1}${join(dir, 'runs', input.run.id, '1')}`);
    expect(engine.containers()).toEqual([]);
  });

  it('is started without a network, capabilities, a writable root or unlimited resources', async () => {
    const executor = await open();
    const input = makeRunInput();
    await execute(executor, input);
    const [run] = startsOf();
    const { id } = input.run;
    expect(run).toEqual([
      'run',
      '--rm',
      '--interactive',
      '--log-driver=none',
      `--name=dockbell-${id}-1`,
      `--label=dockbell.run=${id}`,
      '--label=dockbell.attempt=1',
      '--pull=missing',
      '--read-only',
      '--tmpfs=/tmp:rw,exec,nosuid,nodev,mode=1777',
      '--cap-drop=ALL',
      '--security-opt=no-new-privileges',
      '--network=none',
      '--memory=2g',
      '--memory-swap=2g',
      '--cpus=2',
      '--pids-limit=512',
      `--user=${process.getuid!()}:${process.getgid!()}`,
      `--volume=${join(dir, 'runs', id, '1')}:/dockbell/run:rw,Z`,
      '--workdir=/dockbell/run',
      '--env=HOME=/dockbell/run',
      '--env=TMPDIR=/tmp',
      ...[
        'LANG',
        'DOCKBELL_RUN_ID',
        'DOCKBELL_FACTORY',
        'DOCKBELL_AUTOMATION',
        'DOCKBELL_WEBHOOK',
        'DOCKBELL_WEBHOOK_UID',
      ].flatMap((name) => ['--env', name]),
      ...['DOCKBELL_DELIVERY_ID', 'DOCKBELL_EVENT', 'DOCKBELL_PAYLOAD'].flatMap((name) => ['--env', name]),
      'ghcr.io/acme/agent:1.4',
      'sh',
      '-c',
      'true',
    ]);
  });

  it('gets its secrets, and shows them neither in arguments nor in the log', async () => {
    const executor = await open(shell('echo "$TOKEN"; test "$(printenv TOKEN | wc -l)" -eq 2; env'));
    const input = makeRunInput({ run: { deliveryIdentity: '$(id) --privileged' } });
    const secrets = { TOKEN: 'two\nlines-of-it' };
    expect((await execute(executor, input, { secrets })).state).toBe('succeeded');
    expect(JSON.stringify(engine.calls())).not.toMatch(/lines-of-it|privileged/);
    expect(logOf(input.run.id)).not.toContain('lines-of-it');
    expect(logOf(input.run.id)).toContain('DOCKBELL_PAYLOAD=/dockbell/run/event-payload.json');
    expect(logOf(input.run.id)).toContain('DOCKBELL_DELIVERY_ID=$(id) --privileged');
  });

  it.each(['DOCKER_HOST', 'CONTAINERS_CONF', 'XDG_RUNTIME_DIR', 'HTTPS_PROXY'])(
    'gets no secret named %s',
    async (name) => {
      const result = await execute(await open(), makeRunInput(), { secrets: { [name]: 'tcp://evil.example' } });
      expect(result).toMatchObject({ state: 'failed', error: expect.stringContaining('docker reads this variable') });
    },
  );

  it('has the image of the factory, or an allowed one that the automation names', async () => {
    const images = ['ghcr.io/acme/gpu:2'];
    const executor = await open(Object.assign({ images }, shell('echo "image $IMAGE"')));
    const runWith = async (environmentId: string | null) => {
      const input = makeRunInput({ overrides: environmentId === null ? {} : { environmentId } });
      const { error } = await execute(executor, input);
      return error ?? logOf(input.run.id);
    };
    expect(await runWith(null)).toContain('image ghcr.io/acme/agent:1.4');
    expect(await runWith('ghcr.io/acme/gpu:2')).toContain('image ghcr.io/acme/gpu:2');
    expect(await runWith('evil:1')).toBe(
      'environmentId "evil:1" is not an image of runs.executor.images in dockbell.yaml',
    );
    const without = await execute(await open(), makeRunInput({ overrides: { environmentId: 'some-id' } }));
    expect(without.state).toBe('succeeded');
  });

  it('that the engine cannot run fails with the message of the engine in the log', { tags: 'full' }, async () => {
    const input = makeRunInput();
    const result = await execute(await open({ image: 'missing:1' }), input);
    expect(result).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('exit code 125: docker could not run the container'),
    });
    expect(logOf(input.run.id)).toContain('Error: no such image: missing:1');
  });

  it('that was killed fails with the probable reason', { tags: 'full' }, async () => {
    const result = await execute(await open(shell('kill -9 $$')), makeRunInput());
    expect(result).toMatchObject({
      state: 'failed',
      exitCode: 137,
      error: expect.stringContaining('executor.memory, 2g'),
    });
  });

  it('leaves the processes of all containers alone, and gives no secret to that of the namespaces', {
    tags: 'full',
  }, async () => {
    engine.startHelpers();
    const executor = await open();
    const input = makeRunInput();
    expect((await execute(executor, input, { secrets: { TOKEN: 'for-one-run' } })).state).toBe('succeeded');
    await executor.endLeftovers(input.run);
    const { namespaces, network } = engine.helpers();
    try {
      expect(await Promise.all([namespaces, network].map(isAlive))).toEqual([true, true]);
      expect(readFileSync(`/proc/${namespaces}/environ`, 'utf8')).not.toContain('for-one-run');
    } finally {
      for (const helper of [namespaces, network]) process.kill(helper);
    }
  });

  it('gets SIGTERM when the run is cancelled', { tags: 'full' }, async () => {
    const executor = await open(shell('trap "echo stopping; exit 0" TERM; echo ready; while :; do sleep 0.05; done'));
    const [input, stop] = [makeRunInput(), new AbortController()];
    const ended = execute(executor, input, { signal: stop.signal });
    await waitUntil(
      () => existsSync(join(dir, 'logs', `${input.run.id}.log`)) && logOf(input.run.id).includes('ready'),
      'ready',
    );
    orderStop(stop, { cause: 'cancelled', graceMs: null } satisfies StopOrder);
    expect(await ended).toMatchObject({ state: 'cancelled' });
    expect(logOf(input.run.id)).toContain('stopping');
  });

  it('is removed if it ignores SIGTERM', { tags: 'full' }, async () => {
    const executor = await open(shell('trap "" TERM; while :; do sleep 0.05; done'));
    const stop = new AbortController();
    const ended = execute(executor, makeRunInput(), { signal: stop.signal });
    await waitUntil(() => engine.containers().length === 1, 'the container');
    orderStop(stop, { cause: 'cancelled', graceMs: 100 } satisfies StopOrder);
    expect((await ended).state).toBe('cancelled');
    expect(engine.containers()).toEqual([]);
  });

  it('is found and removed after a crash of the daemon, and the attempt is not started again', async () => {
    const executor = await open(shell('while :; do sleep 0.05; done'));
    const input = makeRunInput();
    const ended = execute(executor, input);
    await waitUntil(() => engine.containers().length === 1, 'the container');
    // The next daemon knows only the ID of the run.
    const next = await open();
    expect(await next.wasStarted(input.run.id, 1)).toBe(true);
    await next.endLeftovers(input.run);
    expect(engine.containers()).toEqual([]);
    await ended;
    expect(await execute(next, input)).toMatchObject({ state: 'failed', error: 'interrupted' });
    expect(startsOf()).toHaveLength(1);
  });

  it('that was not created yet when the daemon crashed is never created', { tags: 'full' }, async () => {
    const finishPull = engine.holdPulls();
    const input = makeRunInput();
    const ended = execute(await open(), input);
    await waitUntil(() => startsOf().length === 1, 'the client');
    await (await open()).endLeftovers(input.run);
    finishPull();
    expect(await ended).toMatchObject({ state: 'failed' });
    expect(engine.containers()).toEqual([]);
  });

  it('ends although the engine no longer answers', { tags: 'full' }, async () => {
    const executor = await open(shell('touch ../../../bin/broken'));
    expect((await execute(executor, makeRunInput())).state).toBe('succeeded');
  });
});

describe('the executor', () => {
  it('is not created without its engine, or with a folder that cannot be a volume', async () => {
    rmSync(join(engine.bin, 'podman'));
    const searchPath = engine.bin;
    await expect(open({ engine: 'podman' }, { searchPath })).rejects.toThrow(
      /runs.executor.engine podman cannot be used: no such program/,
    );
    await expect(open({}, { runsDir: '/tmp/a:b' })).rejects.toThrow('contains ":" or ","');
  });
});
