import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

interface LogLine {
  level: string;
  msg: string;
  [field: string]: unknown;
}

const readLog = (daemon: TestDaemon) =>
  daemon
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);

describe('the process of a daemon', () => {
  it('stops cleanly on SIGINT, reports the stop, and prints each address and each failure once', async () => {
    const url = '/nonexistent/repository';
    const daemon = await startTestDaemon({
      config: { factories: [{ name: 'f', source: { type: 'repository', url } }] },
    });
    // The second pass, which the watcher asks for, fails as the first did.
    await eventually(async () => {
      const { body } = await daemon.api('/factories/f/reconciliations');
      const [row] = body.data;
      return row !== undefined && row.attempted_at > row.finished_at;
    });
    expect(daemon.output()).not.toContain('dbl_');
    expect(daemon.output()).toContain('dockbell login-link');
    expect(await daemon.end('SIGINT')).toBe(0);
    const lines = readLog(daemon);
    expect(lines.filter(({ reason }) => reason === 'RepositoryMissing')).toHaveLength(1);
    expect(daemon.output().split(daemon.adminUrl)).toHaveLength(2);
    // An alert about the failure may open meanwhile.
    const states = lines.map(({ msg }) => msg as string).filter((msg) => msg.startsWith('daemon '));
    expect(states.slice(-2)).toEqual(['daemon stopping', 'daemon stopped']);
    expect(lines.at(-1)!.msg).toBe('daemon stopped');
    for (const name of ['daemon.json', 'daemon.pid', 'dockbell.db-wal']) {
      expect([name, existsSync(join(daemon.dataDir, name))]).toEqual([name, false]);
    }
  });

  it('is not kept from its stop by connections that browsers open in advance', {
    tags: 'full',
    timeout: 20_000,
  }, async () => {
    const daemon = await startTestDaemon({ config: {} });
    const sockets = [daemon.adminUrl, daemon.ingressUrl].map((url) => connect(Number(new URL(url).port), '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const closed = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(await daemon.end('SIGTERM')).toBe(0);
    await closed;
  });

  it('opens no inspector on SIGUSR1 and continues', { tags: 'full' }, async () => {
    const daemon = await startTestDaemon({ config: {} });
    process.kill(daemon.pid, 'SIGUSR1');
    expect((await fetch(`${daemon.ingressUrl}/healthz`)).status).toBe(200);
    expect(await daemon.end('SIGTERM')).toBe(0);
    expect(daemon.output()).not.toContain('Debugger');
  });

  it('with a low open file limit warns, takes fewer connections, and still reads a commit', {
    tags: 'full',
  }, async () => {
    const repo = await createTempGitRepo();
    const revision = await repo.commit({ 'webhooks/ci.yaml': 'enabled: false\nsecretName: A\n' });
    const source = { type: 'repository', url: repo.path };
    const daemon = await startTestDaemon({ config: { factories: [{ name: 'f', source }] }, openFiles: 400 });
    const warning = { level: 'warn', openFileLimit: 400, maxConnections: 200 };
    expect(readLog(daemon)).toContainEqual(expect.objectContaining(warning));
    const { port } = new URL(daemon.ingressUrl);
    const sockets: Socket[] = [];
    let dropped = 0;
    for (let n = 0; n < 420; n++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      sockets.push(socket.once('close', () => (dropped += 1)));
    }
    await eventually(() => dropped >= 220);
    const next = await repo.commit({ 'webhooks/ci.yaml': 'enabled: false\nsecretName: B\n' });
    await eventually(async () => {
      const { body } = await daemon.api('/factories/f/reconciliations?limit=1');
      return body.data[0]?.revision === next;
    });
    expect(next).not.toBe(revision);
    for (const socket of sockets) socket.destroy();
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });
});
