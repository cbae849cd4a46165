import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';
import { findFreePort, startWorkerProcess, type WorkerProcess } from '../helpers/worker-process.ts';

const ROUNDS = 20;
const RUNS_PER_ROUND = 3;
/** The duration of a run, so that kills hit all its phases. */
const COMMAND_SECONDS = '0.4';

const dir = createTempDir('worker-kill');
const started = join(dir, 'starts');
const agent = join(dir, 'agent.sh');
writeFileSync(
  agent,
  // One write for each start, so that lines of several runs do not mix.
  `#!/bin/sh\nprintf '%s/%s\\n' "$DOCKBELL_RUN_ID" "$(basename "$PWD")" >> ${started}\nsleep ${COMMAND_SECONDS}\necho done\n`,
  { mode: 0o755 },
);

let daemon: TestDaemon;
let worker: WorkerProcess;

afterAll(async () => {
  await worker?.end('SIGKILL');
  await daemon?.end('SIGKILL');
});

const pickMs = () => Math.floor(Math.random() * 1200);

describe('kill -9 of the daemon and of a worker', { timeout: 600_000 }, () => {
  it.each(['none', 'declared'])(
    'starts no attempt twice, and every run ends in a state that is known (retry: %s)',
    async (retry) => {
      const config = {
        admin: { port: await findFreePort() },
        ingress: { port: await findFreePort() },
        factories: [
          {
            name: 'ours',
            source: { type: 'live' },
            runs: { executor: { type: 'queue', lease: '4s', timeout: '1m' }, concurrency: 3 },
          },
        ],
      };
      daemon = await startTestDaemon({ config });
      const post = (path: string, body?: unknown) => daemon.api(path, { method: 'POST', body });
      const { body: webhook } = await post('/factories/ours/webhooks', { name: 'ci' });
      const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } };
      const policy = retry === 'none' ? {} : { retry: { maxAttempts: 3, backoff: '1s' } };
      const automation = { name: 'build', prompt: 'Build it.', triggers: [trigger], ...policy };
      expect((await post('/factories/ours/automations', automation)).status).toBe(201);
      const { token } = (await post('/tokens', { name: 'w', role: 'worker' })).body;

      const stateDir = mkdtempSync(join(dir, 'state-'));
      const startWorker = () =>
        startWorkerProcess({
          url: daemon.adminUrl,
          token,
          stateDir,
          args: ['--concurrency', '2', '--exec', agent],
        });
      worker = startWorker();
      let accepted = 0;
      for (let round = 0; round < ROUNDS; round++) {
        for (let n = 0; n < RUNS_PER_ROUND; n++) {
          const headers = { authorization: `Bearer ${webhook.secret}` };
          const init = { method: 'POST', headers, body: JSON.stringify({ round, n, retry }) };
          const answer = await fetch(webhook.ingress_url, init);
          expect(answer.status).toBe(202);
          accepted += 1;
        }
        await wait(pickMs());
        const kills = round % 3;
        if (kills !== 0) await worker.end('SIGKILL');
        if (kills !== 1) {
          await daemon.end('SIGKILL');
          daemon = await startTestDaemon({ config, dataDir: daemon.dataDir });
        }
        if (kills !== 0) worker = startWorker();
      }

      const runs = await eventually(async () => {
        const { data } = (await daemon.api('/factories/ours/runs?limit=100')).body;
        const open = data.filter(({ state }: { state: string }) => state === 'queued' || state === 'running');
        return open.length === 0 ? data : null;
      }, 120_000);
      expect(runs).toHaveLength(accepted);
      const starts = existsSync(started) ? readFileSync(started, 'utf8').trim().split('\n') : [];
      expect(starts.filter((start, index) => starts.indexOf(start) !== index)).toEqual([]);
      for (const { id, state, error, attempts } of runs) {
        expect([`${id} succeeded`, `${id} failed interrupted`]).toContain(
          `${id} ${state}${error === null ? '' : ` ${error}`}`,
        );
        for (const { number, state: ended, started_at } of attempts) {
          // An attempt that succeeded was started, and without a policy for retries no run is started twice.
          if (ended === 'succeeded') expect(starts).toContain(`${id}/${number}`);
          expect(started_at).not.toBeNull();
        }
        const startsOfRun = starts.filter((start) => start.startsWith(`${id}/`)).length;
        if (retry === 'none') expect(startsOfRun, id).toBeLessThanOrEqual(1);
      }
      expect(runs.filter(({ state }: { state: string }) => state === 'succeeded').length).toBeGreaterThan(0);
      await worker.end('SIGKILL');
      await daemon.end('SIGKILL');
    },
  );
});
