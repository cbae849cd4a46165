import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AppError, messageOf } from '../domain/errors.ts';
import type { Logger } from '../domain/ports/logger.ts';

/** Where a listener binds; port 0 means any free one. */
interface ListenAddress {
  host: string;
  port: number;
}

/** A socket that systemd listens on. It stays open when this process closes its copy. */
interface InheritedSocket {
  fd: number;
}

export type ListenTarget = ListenAddress | InheritedSocket;

/** What a server listens on. */
interface Listening {
  url: string;
  /** As configured, or the address of the inherited socket. */
  host: string;
}

/**
 * Number of connections that wait while a daemon starts. The default of Node.js is 511, and would apply to the inherited
 * socket, too. The system reduces the number to `net.core.somaxconn`.
 */
const INHERITED_BACKLOG = 65_535;

/** Listens, and returns the address. Throws `config_invalid` if the address or the socket cannot be used. */
export async function listen(
  name: 'ingress' | 'admin',
  target: ListenTarget,
  server: Server,
  bind: (target: ListenTarget) => Promise<unknown>,
): Promise<Listening> {
  try {
    await bind(target);
  } catch (error) {
    throw 'fd' in target ? rejectSocket(name, target, error) : rejectAddress(name, target, error);
  }
  const address = server.address() as AddressInfo | string | null;
  if (address === null || typeof address === 'string')
    throw rejectSocket(name, target as InheritedSocket, 'it is a Unix socket');
  const host = 'fd' in target ? address.address : target.host;
  return { url: formatListenUrl(host, address.port), host };
}

/** Binds a plain server. */
export function bindServer(server: Server, target: ListenTarget): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const onListening = () => {
      server.off('error', reject);
      resolve();
    };
    if ('fd' in target) server.listen({ fd: target.fd }, INHERITED_BACKLOG, onListening);
    else server.listen(target.port, target.host, onListening);
  });
}

/** Logs that the address of the configuration has no effect. */
export function logInheritedSockets(
  name: 'ingress' | 'admin',
  { host, port }: ListenAddress,
  urls: readonly string[],
  logger: Logger,
): void {
  logger.info({ listener: name, urls, unused: `${host}:${port}` }, 'socket of systemd used');
}

/** @param host as configured; an address that means "all" is shown as loopback, where it can be reached from here */
function formatListenUrl(host: string, port: number): string {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

/**
 * The URL of a listener for other machines: if it binds to all addresses, that of the first address of this machine.
 *
 * @param host as configured
 */
export function findReachable(url: string, host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return url;
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  return outside === undefined ? url : `http://${outside.address}:${new URL(url).port}`;
}

function rejectAddress(name: string, { host, port }: ListenAddress, thrown: unknown): AppError {
  const error = thrown as NodeJS.ErrnoException;
  const why = error.code === 'EADDRINUSE' ? 'another process listens there' : messageOf(error);
  return new AppError(
    'config_invalid',
    `${name} cannot listen on ${host}:${port}: ${why}; set ${name}.port to another port, or to 0 for any free one`,
    {
      cause: error,
      details: { code: error.code },
    },
  );
}

function rejectSocket(name: string, { fd }: InheritedSocket, cause: unknown): AppError {
  const why = typeof cause === 'string' ? cause : messageOf(cause);
  const advice = 'use ListenStream= with an IP address and a port in the socket unit, and Accept=no';
  return new AppError(
    'config_invalid',
    `${name} cannot listen on file descriptor ${fd} of systemd: ${why}; ${advice}`,
    {
      cause,
    },
  );
}
