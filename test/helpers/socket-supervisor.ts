import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { createTempDir } from './temp-dir.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from './test-daemon.ts';

/** A socket for the daemon, and the name that its socket unit would give it. */
export interface SupervisedSocket {
  name: string;
  host: string;
}

export interface SupervisedDaemon extends TestDaemon {
  /** The ports of the sockets, in their order. */
  ports: number[];
  /** Stops the daemon as `systemctl restart` does, and resolves when the next one accepts requests. */
  restart(): Promise<void>;
  /** Stops the daemon and its supervisor. Resolves with the exit code of the daemon, also a second time. */
  stop(): Promise<number | null>;
}

/** Like systemd, it keeps the sockets open, and starts the daemon with them until the stop file exists. */
const SUPERVISE = `
stop_file=$1
shift
until [ -e "$stop_file" ]; do
  sh -c 'LISTEN_PID=$$; export LISTEN_PID; exec "$@"' sh "$@"
  code=$?
done
exit $code
`;

/** Starts a daemon with listening sockets, which outlive it. */
export async function superviseDaemon(
  sockets: readonly SupervisedSocket[],
  options: TestDaemonOptions,
): Promise<SupervisedDaemon> {
  const stopFile = join(createTempDir('supervisor'), 'stop');
  const servers = await Promise.all(sockets.map(({ host }) => openSocket(host)));
  const env = { LISTEN_FDS: String(sockets.length), LISTEN_FDNAMES: sockets.map(({ name }) => name).join(':') };
  const started = startTestDaemon({
    ...options,
    env: { ...env, ...options.env },
    launcher: ['/bin/sh', '-c', SUPERVISE, 'supervisor', stopFile],
    sockets: servers.map(readDescriptor),
  });
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  // The supervisor has copies. This process must not accept their connections.
  for (const server of servers) server.close();
  const daemon = await started;
  let pid = readPid(daemon);
  let isStopping = false;
  return {
    ...daemon,
    ports,
    restart: async () => {
      process.kill(pid!, 'SIGTERM');
      pid = await eventually(() => {
        const next = readPid(daemon);
        return next !== pid && next;
      }, 60_000);
    },
    stop: () => {
      if (isStopping) return daemon.exited;
      isStopping = true;
      writeFileSync(stopFile, '');
      process.kill(pid!, 'SIGTERM');
      return daemon.exited;
    },
  };
}

async function openSocket(host: string): Promise<Server> {
  const server = createServer();
  server.listen(0, host, 4_096);
  await once(server, 'listening');
  return server;
}

function readDescriptor(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}

function readPid({ dataDir }: TestDaemon): number | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')).pid;
  } catch {
    return null;
  }
}
