import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasNotifyPrograms, openNotifySocket } from '../helpers/notify-socket.ts';
import { type SupervisedDaemon, superviseDaemon } from '../helpers/socket-supervisor.ts';
import { SteadySender } from '../helpers/steady-sender.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { launchTestDaemon } from '../helpers/test-daemon.ts';

describe('a daemon with sockets of a supervisor', () => {
  const canNotify = hasNotifyPrograms();
  const notifications = openNotifySocket();
  const seenByRun = join(createTempDir('seen'), 'seen');
  let repo: TempGitRepo;
  let daemon: SupervisedDaemon;
  let path: string;

  beforeAll(async () => {
    if (canNotify) await notifications.open();
    repo = await createCiRepository();
    // Two automations run it side by side, so each process writes its own file first.
    const look = 'env > "$0.$$"; ls -l /proc/$$/fd >> "$0.$$"; mv "$0.$$" "$0"';
    const sockets = [
      { name: 'ingress', host: '127.0.0.1' },
      { name: 'admin', host: '127.0.0.1' },
      { name: 'ingress', host: '::1' },
    ];
    daemon = await superviseDaemon(sockets, {
      config: configureCiFactory(repo, ['/bin/sh', '-c', look, seenByRun]),
      env: canNotify ? { NOTIFY_SOCKET: notifications.path } : {},
    });
    path = `/webhooks/w/${await applyCiFactory(daemon)}`;
  });
  afterAll(async () => {
    await daemon.stop();
    await repo.remove();
  });

  it('serves each socket, and shows their addresses', async () => {
    const [ingress, admin, second] = daemon.ports;
    expect(daemon.ingressUrl).toBe(`http://127.0.0.1:${ingress}`);
    expect(daemon.adminUrl).toBe(`http://127.0.0.1:${admin}`);
    for (const url of [daemon.ingressUrl, daemon.adminUrl, `http://[::1]:${second}`]) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    expect((await fetch(`http://[::1]:${second}/api/v1/factories`)).status).toBe(404);
    expect(daemon.output()).toContain('socket of systemd used');
  });

  it('passes neither its sockets nor the variables of systemd to runs', { tags: 'full' }, async () => {
    const headers = { authorization: `Bearer ${CI_TOKEN}` };
    const body = '{"start":true}';
    expect((await fetch(`${daemon.ingressUrl}${path}`, { method: 'POST', headers, body })).status).toBe(202);
    const seen = await eventually(() => readFileIfAny(seenByRun));
    expect(seen).toContain('DOCKBELL_RUN_ID');
    expect(seen).not.toMatch(/LISTEN_|NOTIFY_SOCKET/);
    expect(seen).not.toContain('socket:');
  });

  it('fails no delivery during a restart', { tags: 'full' }, async () => {
    const urls = [daemon.ingressUrl, `http://[::1]:${daemon.ports[2]}`].map((url) => url + path);
    const senders = urls.map((url, index) => new SteadySender({ url, name: `new${index}`, intervalMs: 20 }));
    await eventually(() => senders.every(({ accepted }) => accepted > 20));
    await daemon.restart();
    const before = senders.map(({ accepted }) => accepted);
    await eventually(() => senders.every(({ accepted }, index) => accepted > before[index]! + 20));
    for (const sender of senders) {
      const { accepted, failed } = await sender.end();
      expect(failed).toEqual([]);
      expect(accepted.length).toBeGreaterThan(40);
    }
  });

  it('reports its start and its stop to systemd', { tags: 'full' }, async () => {
    expect(await daemon.stop()).toBe(0);
    if (!canNotify) return;
    const texts = notifications.messages.map(({ text }) => text);
    expect(texts.filter((text) => !text.startsWith('STATUS='))).toEqual([
      'READY=1',
      'STOPPING=1',
      'READY=1',
      'STOPPING=1',
    ]);
    expect(texts).toContain('STATUS=1 factory reconciled');
  });
});

describe('sockets of systemd', () => {
  const hasProgram = spawnSync('systemd-socket-activate', ['--version']).status === 0;
  if (!hasProgram) console.warn('SKIPPED: this test needs systemd-socket-activate');

  it.skipIf(!hasProgram)(
    'come from systemd-socket-activate, and hold the connection that starts the daemon',
    { tags: 'full' },
    async () => {
      const [ingress, admin] = [await findFreePort(), await findFreePort()];
      const listen = [ingress, admin].flatMap((port) => ['-l', `127.0.0.1:${port}`]);
      const launched = launchTestDaemon({
        config: {},
        launcher: ['systemd-socket-activate', ...listen, '--fdname=ingress:admin'],
      });
      const first = await eventually(() => fetch(`http://127.0.0.1:${ingress}/healthz`).catch(() => null));
      expect(first.status).toBe(200);
      const daemon = await launched.serving;
      expect(daemon).toMatchObject({
        ingressUrl: `http://127.0.0.1:${ingress}`,
        adminUrl: `http://127.0.0.1:${admin}`,
      });
      expect(await daemon?.end('SIGTERM')).toBe(0);
    },
  );

  it('end the start with exit code 2 if they are not TCP sockets', { tags: 'full' }, async () => {
    const unix = createServer().listen(join(createTempDir('unix'), 'socket'));
    await once(unix, 'listening');
    const { fd } = (unix as unknown as { _handle: { fd: number } })._handle;
    const asThis = ['/bin/sh', '-c', 'LISTEN_PID=$$; export LISTEN_PID; exec "$@"', 'sh'];
    const launched = launchTestDaemon({ config: {}, launcher: asThis, sockets: [fd], env: { LISTEN_FDS: '1' } });
    expect(await launched.exited).toBe(2);
    unix.close();
    expect(launched.output()).toContain('it is a Unix socket; use ListenStream= with an IP address and a port');
  });
});

function readFileIfAny(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
