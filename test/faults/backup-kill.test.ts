import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon } from '../helpers/test-daemon.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Each is killed a little later than the one before, until one has ended before its kill. */
const killLater = (ms: number) => Math.max(ms + 60, ms * 1.1);
const LATEST_MS = 30_000;
const CONFIG = { factories: [{ name: 'ours', source: { type: 'managed' } }], limits: { deliveriesPerMinute: 100_000 } };
const FILLING = 'x'.repeat(200_000);

it.each(['command', 'daemon'] as const)(
  'a backup whose %s is killed leaves no file, or a whole one, and nothing in the data directory',
  async (victim) => {
    let daemon = await startTestDaemon({ config: CONFIG });
    const { dataDir } = daemon;
    const created = await daemon.cli('webhook', 'create', 'ci', '--json');
    const { uid, secret } = JSON.parse(created.stdout);
    for (let n = 0; n < 200; n++) {
      const headers = { authorization: `Bearer ${secret}` };
      const body = JSON.stringify({ n, FILLING });
      expect((await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body })).status).toBe(
        202,
      );
    }
    const folder = createTempDir('killed');
    let isWhole = false;
    for (let ms = 0; !isWhole && ms < LATEST_MS; ms = killLater(ms)) {
      const file = join(folder, `${ms}.tar`);
      const command = spawn(process.execPath, [MAIN, 'backup', file, '--data-dir', dataDir], { stdio: 'ignore' });
      const ended = new Promise((resolve) => command.once('close', resolve));
      await killAfter(ms, victim === 'command' ? command : null, daemon.pid);
      await ended;
      isWhole = existsSync(file);
      if (isWhole) expect(await runCli(['restore', file, '--verify-only'])).toMatchObject({ code: 0 });
      if (victim === 'daemon') {
        await daemon.exited;
        daemon = await startTestDaemon({ config: CONFIG, dataDir });
      }
    }
    expect(isWhole, `a backup that may take ${LATEST_MS} ms is complete`).toBe(true);
    // A command that was killed cannot delete its temporary file, which never has the final name.
    expect(readdirSync(folder).filter((name) => name.endsWith('.tar'))).toHaveLength(1);
    await daemon.end('SIGTERM');
    daemon = await startTestDaemon({ config: CONFIG, dataDir });
    expect(readdirSync(dataDir).filter((name) => /backup|restore|tmp|staging/.test(name))).toEqual([]);
    await daemon.end('SIGTERM');
  },
);

async function killAfter(ms: number, command: ChildProcess | null, daemon: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (command === null) process.kill(daemon, 'SIGKILL');
  else command.kill('SIGKILL');
}
