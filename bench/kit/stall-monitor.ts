import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createTempDir } from '../../test/helpers/temp-dir.ts';

/** Since the last reading, in milliseconds. */
interface Stall {
  /** The longest delay of a timer. */
  longestMs: number;
  /** The most processor time between two ticks of the timer. */
  longestTurnMs: number;
}

/** The longest delay of the main thread of a daemon, measured inside it. */
export interface StallMonitor {
  /** Variables for the environment of the daemon. */
  env: Record<string, string>;
  read(): Promise<Stall>;
  close(): void;
}

/** Prepares a monitor. Start the daemon with its `env` before the first `read`. */
export function prepareStallMonitor(): StallMonitor {
  const path = join(createTempDir('stall'), 'socket');
  let socket: Socket | null = null;
  const connect = async () => {
    const opened = createConnection(path).unref();
    await once(opened, 'connect');
    return opened;
  };
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL('stall-probe.mjs', import.meta.url).href}`,
      DOCKBELL_STALL_SOCKET: path,
    },
    async read() {
      socket ??= await connect();
      socket.ref().write('read\n');
      const [line] = (await once(socket, 'data')) as [Buffer];
      socket.unref();
      return JSON.parse(line.toString()) as Stall;
    },
    close: () => void socket?.destroy(),
  };
}
