import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, messageOf } from '../core/errors.ts';

/** Where a listener binds; port 0 means any free one. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** Binds, and returns the URL. Throws `config_invalid` if the address is not available. */
export async function listen(
  name: 'ingress' | 'admin',
  address: ListenAddress,
  server: Server,
  bind: (address: ListenAddress) => Promise<unknown>,
): Promise<string> {
  try {
    await bind(address);
  } catch (error) {
    throw reject(name, address, error as NodeJS.ErrnoException);
  }
  return formatListenUrl(address.host, (server.address() as AddressInfo).port);
}

/** Binds a plain server. */
export function bindServer(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** @param host as configured; an address that means "all" is shown as loopback, where it can be reached from here */
function formatListenUrl(host: string, port: number): string {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

function reject(name: string, { host, port }: ListenAddress, error: NodeJS.ErrnoException): AppError {
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
