import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { openRealPodman } from '../helpers/real-podman.ts';
import { startPostgres } from '../helpers/start-postgres.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

const SECRET = 'a-secret-of-one-run';
const ABSENT_IMAGE = 'localhost/dockbell-test-absent:1';
const FACTORIES = ['payments', 'hurried'] as const;

const declare = (kind: string, more = '') => `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { kind: [${kind}] } }
${more}
---
Do it.
`;

/** What the program in the container does, by the payload. */
const PROGRAM = `
case "$(cat event-payload.json)" in
*look*)
  cat
  id -u
  cat workspace/app.txt
  touch /outside; touch /tmp/inside && touch kept
  env
  echo "interfaces: $(cat /proc/net/dev)"
  cat /proc/self/status
  printf '{"summary": "Looked around"}' > result.json;;
*fail*) exit 7;;
*grow*) head -c 500m /dev/zero | tail;;
*wait*) trap 'echo stopping; exit 0' TERM; echo ready; while :; do sleep 0.1; done;;
*resist*) trap '' TERM; echo ready; while :; do sleep 0.1; done;;
esac`;

const podman = openRealPodman();
// Podman without root limits memory only with version 2 of cgroups.
const limitsMemory = process.getuid?.() === 0;

describe.skipIf(podman === null)('a real container of podman', () => {
  let repo: TempGitRepo;
  let options: TestDaemonOptions;
  let daemon: TestDaemon;
  let urls: Record<(typeof FACTORIES)[number], string>;

  beforeAll(async () => {
    const { image, environment } = podman!;
    repo = await createTempGitRepo();
    await repo.commit({
      'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
      'automations/look/automation.md': declare('look', 'secrets: [RUN_SECRET]\nworkspace: {}'),
      'automations/act/automation.md': declare('fail, grow, wait, resist'),
      'automations/absent/automation.md': declare('absent', `environmentId: ${ABSENT_IMAGE}`),
      'app.txt': 'hello from the commit\n',
    });
    const executor = {
      type: 'container',
      engine: 'podman',
      image,
      images: [ABSENT_IMAGE],
      pull: 'never',
      memory: '64m',
    };
    const args = ['/bin/sh', '-c', PROGRAM];
    const configure = (name: string, timeout: string) => ({
      name,
      source: { type: 'repository', url: repo.path },
      runs: { executor: { ...executor, args, timeout } },
    });
    const factories = [configure('payments', '5m'), configure('hurried', '5s')];
    options = { config: { factories }, env: environment };
    await start(options);
  }, 120_000);

  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repo?.remove();
  });

  async function start(changed: TestDaemonOptions): Promise<void> {
    daemon = await startTestDaemon(changed);
    await createSecrets();
    urls = { payments: await findUrl('payments'), hurried: await findUrl('hurried') };
  }

  async function createSecrets(): Promise<void> {
    for (const [name, value] of Object.entries({ CI_SECRET: CI_TOKEN, RUN_SECRET: SECRET })) {
      const { code, stderr } = await daemon.cli('secret', 'create', name, '--all-factories', '--value', value);
      expect([code, stderr]).toEqual([0, '']);
    }
  }

  async function findUrl(factory: string): Promise<string> {
    const path = `/factories/${factory}/webhooks`;
    const uid = await eventually(async () => (await daemon.api(path)).body.data?.[0]?.uid);
    return `/webhooks/w/${uid}`;
  }

  /** Returns the ID of the run that the delivery starts. */
  async function deliver(kind: string, factory: (typeof FACTORIES)[number] = 'payments'): Promise<string> {
    const headers = { authorization: `Bearer ${CI_TOKEN}` };
    const body = JSON.stringify({ kind, at: performance.now() });
    const response = await fetch(`${daemon.ingressUrl}${urls[factory]}`, { method: 'POST', headers, body });
    expect(response.status).toBe(202);
    return (await daemon.api(`/factories/${factory}/runs?limit=1`)).body.data[0].id;
  }

  const readLog = async (run: string) => (await daemon.cli('run', 'log', run)).stdout;
  const waitForOutput = (run: string, text: string) =>
    eventually(async () => (await readLog(run)).includes(text), 60_000);

  /** Resolves with the run and its log when the run has ended; then no container of it exists. */
  async function waitForEnd(run: string) {
    const ended = await eventually(async () => {
      const { body } = await daemon.api(`/runs/${run}`);
      return body.finished_at === null ? undefined : body;
    }, 60_000);
    expect(podman!.containers()).toEqual([]);
    return { ...ended, log: await readLog(run) };
  }

  it('gets prompt, payload, workspace and secrets, and can write only to its directory', async () => {
    const run = await deliver('look');
    const { state, result, log } = await waitForEnd(run);
    expect([state, result?.summary]).toEqual(['succeeded', 'Looked around']);
    // Podman without root may warn first that it ignores limits.
    expect(log).toMatch(/^Do it\.$/m);
    expect(log).toContain(`\n${process.getuid!()}\nhello from the commit\n`);
    expect(log).toMatch(/\/outside.*Read-only file system/);
    expect(log).toContain('RUN_SECRET=[redacted]');
    expect(log).not.toContain(SECRET);
    expect(log).toContain(`DOCKBELL_RUN_ID=${run}`);
    expect(log).toContain('HOME=/dockbell/run');
    const files = join(daemon.dataDir, 'runs', run, '1');
    expect(readdirSync(files)).toEqual(expect.arrayContaining(['kept', 'result.json', 'event-payload.json']));
  });

  it('has no network, no capabilities and no way to get more privileges', async () => {
    const { log } = await waitForEnd(await deliver('look'));
    const interfaces = log.slice(log.indexOf('interfaces: ')).match(/^ *\w+(?=: +\d)/gm);
    expect(interfaces?.map((name: string) => name.trim())).toEqual(['lo']);
    expect(log).toMatch(/^CapEff:\t0{16}$/m);
    expect(log).toMatch(/^CapBnd:\t0{16}$/m);
    expect(log).toMatch(/^NoNewPrivs:\t1$/m);
  });

  it('ends with the exit code of its program', async () => {
    expect(await waitForEnd(await deliver('fail'))).toMatchObject({
      state: 'failed',
      error: 'exit code 7',
      exit_code: 7,
    });
  });

  it.runIf(limitsMemory)('is killed if it needs more memory than it may have', async () => {
    const { state, error } = await waitForEnd(await deliver('grow'));
    expect([state, error]).toEqual(['failed', expect.stringContaining('exit code 137: killed, probably because')]);
  });

  it('that cannot be created fails with the message of podman in its log', async () => {
    const { state, error, log } = await waitForEnd(await deliver('absent'));
    expect([state, error]).toEqual(['failed', expect.stringContaining('exit code 125: podman could not run')]);
    expect(log).toContain(ABSENT_IMAGE);
  });

  it('gets SIGTERM when its run is cancelled', async () => {
    const run = await deliver('wait');
    await waitForOutput(run, 'ready');
    expect((await daemon.cli('run', 'cancel', run)).code).toBe(0);
    const { state, log } = await waitForEnd(run);
    expect(state).toBe('cancelled');
    expect(log).toContain('stopping');
  });

  it('is removed if it ignores SIGTERM after a cancellation', async () => {
    const run = await deliver('resist');
    await waitForOutput(run, 'ready');
    expect((await daemon.cli('run', 'cancel', run)).code).toBe(0);
    expect((await waitForEnd(run)).state).toBe('cancelled');
  });

  it('is stopped at the timeout of its factory', async () => {
    expect(await waitForEnd(await deliver('wait', 'hurried'))).toMatchObject({ state: 'failed', error: 'timeout' });
  });

  it.each([
    ['with its client', []],
    ['without its client', ['client']],
  ])(
    'that a killed daemon leaves %s is removed by the next one, and its run ends as interrupted',
    async (_, killed) => {
      const run = await deliver('wait');
      await waitForOutput(run, 'ready');
      await daemon.end('SIGKILL');
      if (killed.includes('client')) killClient(run);
      expect(podman!.containers()).toHaveLength(1);
      daemon = await startTestDaemon({ ...options, dataDir: daemon.dataDir });
      const { state, error, attempt } = await waitForEnd(run);
      expect({ state, error, attempt }).toEqual({ state: 'failed', error: 'interrupted', attempt: 1 });
      expect(await waitForEnd(await deliver('fail'))).toMatchObject({ error: 'exit code 7' });
    },
  );

  it('that a killed replica leaves is removed before any other one could start the run', async () => {
    await daemon.end('SIGTERM');
    const server = await startPostgres();
    try {
      const storage = { type: 'postgres', url: await server.createDatabase('containers') };
      await start({ ...options, config: { ...options.config, storage } });
      await waitForOutput(await deliver('resist'), 'ready');
      expect(podman!.containers()).toHaveLength(1);
      await daemon.end('SIGKILL');
      await eventually(() => podman!.containers().length === 0, 60_000);
    } finally {
      await server.remove();
    }
  });
});

/** Kills the `podman run` of a run, which passes signals on to the container and its output to the daemon. */
function killClient(run: string): void {
  const isClient = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0--label=dockbell.run=${run}\0`);
    } catch {
      return false; // The process has ended.
    }
  };
  const clients = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isClient(name));
  expect(clients).not.toEqual([]);
  for (const pid of clients) process.kill(Number(pid), 'SIGKILL');
}
