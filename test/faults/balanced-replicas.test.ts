import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { readDocument } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { DaemonProcess } from '../helpers/test-daemon.ts';
import { findFreePort } from '../helpers/worker-process.ts';

const DELIVERIES = 40;
const MORE = 20;
/** The proxy checks replicas every 2 seconds. */
const CHECKED_MS = 10_000;
/** A lost leader is replaced after 15 seconds without a sign of life. */
const TAKE_OVER_MS = 40_000;

const ci = useCiOnPostgres();

/** Starts Caddy with the configuration of the compose file in front of these daemons. Returns its URL. */
async function startProxy(daemons: readonly DaemonProcess[]): Promise<string> {
  const folder = createTempDir('caddy');
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const file = join(folder, 'Caddyfile');
  const named = daemons.map(({ ingressUrl }, index) => [`dockbell-${index + 1}:8787`, new URL(ingressUrl).host]);
  const shipped = readDocument('deploy/Caddyfile.replicas').replace('\n{\n', '\n{\n\tadmin off\n');
  writeFileSync(
    file,
    named.reduce((text, [name, address]) => text.replace(name!, address!), shipped),
  );
  const env = { ...process.env, DOCKBELL_HOST: url, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const proxy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => proxy.once('exit', resolve));
  onTestFinished(async () => {
    proxy.kill('SIGKILL');
    await ended;
  });
  await eventually(async () => (await fetch(url).catch(() => null))?.status === 404);
  return url;
}

describe.runIf(hasProgram('caddy'))('two replicas behind the proxy of the compose file', () => {
  it('lose no delivery of a sender that repeats it, when one of them is killed', async () => {
    const replicas = new TestReplicas(await ci.server.createDatabase('balanced'), {
      config: configureCiFactory(ci.repo, ['/bin/true']),
    });
    const leader = await replicas.start();
    const uid = await applyCiFactory(leader);
    const follower = await replicas.start();
    const url = await startProxy([leader, follower]);
    const send = async (n: number) => {
      const headers = { authorization: `Bearer ${CI_TOKEN}` };
      const body = JSON.stringify({ n });
      return (await fetch(`${url}/webhooks/w/${uid}`, { method: 'POST', headers, body })).status;
    };
    // Caddy 2.6 answers 502 where a later one repeats the request, until its check finds that the replica is lost.
    const deliver = (n: number) => eventually(async () => (await send(n)) === 202, CHECKED_MS);

    for (let n = 1; n <= DELIVERIES; n++) {
      if (n === DELIVERIES / 2) {
        leader.end('SIGKILL');
        await leader.exited;
      }
      await deliver(n);
    }
    // The proxy knows that the replica is lost, so no request needs a repetition.
    const more = Array.from({ length: MORE }, (_, index) => DELIVERIES + 1 + index);
    await eventually(async () => (await Promise.all(more.map(send))).every((status) => status === 202), CHECKED_MS);

    const { body } = await eventually(async () => {
      const answer = await follower.api(`/factories/payments/deliveries?limit=200`);
      return answer.status === 200 ? answer : undefined;
    }, TAKE_OVER_MS);
    const accepted = body.data.filter(({ label }: { label: string }) => label === 'Accepted');
    expect(accepted).toHaveLength(DELIVERIES + MORE);
    expect(await follower.end('SIGTERM')).toBe(0);
  });
});
