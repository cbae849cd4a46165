import { connect, createServer, type Socket } from 'node:net';

/** What clients of PostgreSQL sent. */
interface Messages {
  statements: number;
  /** Times that a client sent something after an answer: it had waited for that. */
  roundTrips: number;
}

/** A proxy in front of PostgreSQL that counts. */
export interface CountingProxy {
  /** The URL of the database through the proxy. */
  url: string;
  read(): Messages;
  close(): Promise<void>;
}

const EXECUTE = 'E'.charCodeAt(0);
const SIMPLE_QUERY = 'Q'.charCodeAt(0);

/** Type and length. */
const HEAD_BYTES = 5;

/** Forwards to the server of this URL. Only for connections without TLS. */
export async function startCountingProxy(url: string): Promise<CountingProxy> {
  const target = new URL(url);
  const counted: Messages = { statements: 0, roundTrips: 0 };
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const countStatements = createMessageReader((type) => {
      if (type === EXECUTE || type === SIMPLE_QUERY) counted.statements += 1;
    });
    let hasAnswer = true;
    client.on('data', (chunk) => {
      if (hasAnswer) counted.roundTrips += 1;
      hasAnswer = false;
      countStatements(chunk);
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      hasAnswer = true;
      client.write(chunk);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.port = `${(proxy.address() as { port: number }).port}`;
  return {
    url: through.href,
    read: () => ({ ...counted }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** Reads the types of messages from chunks that end anywhere. The first message of a connection has no type. */
function createMessageReader(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let skipped = 0;
  let isFirst = true;
  return (chunk) => {
    let unread = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const step = Math.min(skipped, unread.length);
      unread = unread.subarray(step);
      skipped -= step;
      if (skipped > 0 || unread.length < HEAD_BYTES) break;
      const type = isFirst ? 0 : unread[0]!;
      skipped = isFirst ? unread.readInt32BE(0) : unread.readInt32BE(1) + 1;
      isFirst = false;
      onMessage(type);
    }
    rest = unread;
  };
}
