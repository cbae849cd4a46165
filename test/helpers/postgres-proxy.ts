import type { AddressInfo } from 'node:net';
import { createServer, type Server, Socket } from 'node:net';

/** Where a message of PostgreSQL's protocol comes from. */
export type Side = 'client' | 'server';

/** One message, with its type and length. The first one of a client has no type. */
interface Message {
  bytes: Buffer;
  type: string;
}

/** The connection of a batch is cut before this message of it arrives, counted from its BEGIN. */
export interface Cut {
  from: Side;
  /** 1 for the first message. */
  at: number;
}

/** A cut of the answer to COMMIT: the outcome is unknown to the daemon. */
export const COMMIT_ANSWER = 'the answer to COMMIT';

/** A part of a statement, or its name, as the client sends it. */
type Statement = string;

/**
 * When the connection of a COMMIT is cut. `unsent`: the server does not receive it. `pending`: the server does not know that nobody
 * waits. `answered`: the answer is lost.
 */
type CommitCut = 'unsent' | 'pending' | 'answered';

interface ArmedCommit {
  cut: CommitCut;
  done(): void;
}

/**
 * Forwards the connections of a daemon to PostgreSQL, and disturbs them. A batch is a transaction of deliveries: it claims
 * numbers of the delivery log.
 */
export class PostgresProxy {
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #links = new Set<Link>();
  #isStalled = false;
  #armed: { cut: Cut | typeof COMMIT_ANSWER; done(): void } | null = null;
  readonly #armedCommits = new Map<Statement, ArmedCommit>();
  /** Is the COMMIT of every transaction cut whose last statement inserted a row? */
  #cutsAll = false;
  /** The number of messages of the last complete batch. */
  messages: Record<Side, number> = { client: 0, server: 0 };

  private constructor(server: Server, target: { host: string; port: number }) {
    this.#server = server;
    this.#target = target;
  }

  /** @param url of the server */
  static async start(url: string): Promise<PostgresProxy> {
    const { hostname: host, port } = new URL(url);
    // Messages are forwarded one by one: without this, each one could wait for an acknowledgement.
    const server = createServer({ noDelay: true });
    const proxy = new PostgresProxy(server, { host, port: Number(port) });
    server.on('connection', (client) => proxy.#connect(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The URL of a database behind the proxy. */
  urlOf(database: string): string {
    const url = new URL(database);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Cuts one batch. Resolves when that has happened. */
  cutBatch(cut: Cut | typeof COMMIT_ANSWER): Promise<void> {
    return new Promise((resolve) => {
      this.#armed = { cut, done: resolve };
    });
  }

  /** Cuts the COMMIT of one transaction with this statement. Resolves when that has happened. */
  cutCommitOf(statement: Statement, cut: CommitCut = 'answered'): Promise<void> {
    return new Promise((done) => {
      this.#armedCommits.set(statement, { cut, done });
    });
  }

  /** Cuts the answer to the COMMIT of every transaction whose last statement inserts a row. */
  cutEveryCommitOfInsert(): void {
    this.#cutsAll = true;
  }

  /** Forwards nothing, as a network that loses everything. Connections stay open. */
  stall(): void {
    this.#isStalled = true;
    for (const link of this.#links) link.pause();
  }

  resume(): void {
    this.#isStalled = false;
    for (const link of this.#links) link.resume();
  }

  async close(): Promise<void> {
    for (const link of this.#links) link.end();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect(client: Socket): void {
    const link = new Link(client, new Socket().setNoDelay(true).connect(this.#target), {
      isCut: (from, counts, message) => this.#isCut(from, counts, message),
      findArmed: (bytes) => [...this.#armedCommits.keys()].find((statement) => bytes.includes(statement)) ?? null,
      cutsAll: () => this.#cutsAll,
      takeArmed: (statement, cut) => {
        const armed = this.#armedCommits.get(statement);
        if (armed?.cut !== cut) return false;
        armed.done();
        return this.#armedCommits.delete(statement);
      },
      onBatch: (messages) => {
        this.messages = messages;
      },
      onEnd: () => this.#links.delete(link),
    });
    this.#links.add(link);
    if (this.#isStalled) link.pause();
  }

  #isCut(from: Side, counts: Record<Side, number>, message: Message): boolean {
    if (this.#armed === null) return false;
    const { cut, done } = this.#armed;
    const isReached =
      cut === COMMIT_ANSWER
        ? from === 'server' && isAnswerTo('COMMIT', message)
        : from === cut.from && counts[from] === cut.at;
    if (!isReached) return false;
    this.#armed = null;
    done();
    return true;
  }
}

interface LinkParts {
  /** @param counts messages of this batch until now, with this one */
  isCut(from: Side, counts: Record<Side, number>, message: Message): boolean;
  onBatch(messages: Record<Side, number>): void;
  /** The statement in this message whose COMMIT is to be cut. */
  findArmed(bytes: Buffer): Statement | null;
  /** Is the COMMIT of every transaction cut whose last statement inserted a row? */
  cutsAll(): boolean;
  /** Is the COMMIT of the statement cut like this? `false` also if another connection was faster. */
  takeArmed(statement: Statement, cut: CommitCut): boolean;
  onEnd(): void;
}

/** One connection of a daemon. */
class Link {
  readonly #sockets: Record<Side, Socket>;
  readonly #parts: LinkParts;
  /** Messages of the transaction since its BEGIN; `null` outside. */
  #counts: Record<Side, number> | null = null;
  #isBatch = false;
  /** The statement of this transaction whose COMMIT is to be cut. */
  #armed: Statement | null = null;
  /** Was the last answer that of a statement that inserted a row? */
  #hasInserted = false;
  #hasEnded = false;

  constructor(client: Socket, server: Socket, parts: LinkParts) {
    this.#sockets = { client, server };
    this.#parts = parts;
    this.#forward('client', 'server', new Framing(true));
    this.#forward('server', 'client', new Framing(false));
  }

  pause(): void {
    for (const socket of Object.values(this.#sockets)) socket.pause();
  }

  resume(): void {
    for (const socket of Object.values(this.#sockets)) socket.resume();
  }

  /** What was forwarded still arrives. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const socket of Object.values(this.#sockets)) socket.destroySoon();
    this.#parts.onEnd();
  }

  #forward(from: Side, to: Side, framing: Framing): void {
    const [source, target] = [this.#sockets[from], this.#sockets[to]];
    source.on('data', (chunk) => {
      const messages = framing.take(chunk);
      // A batch begins with several messages in one chunk.
      if (from === 'client') this.#noteBegin(messages);
      for (const message of messages) {
        if (this.#hasEnded) return;
        if (this.#isCut(from, message) || this.#isCommitCut(from, message)) return this.end();
        target.write(message.bytes);
        if (from === 'client' && isQuery('COMMIT', message) && this.#takeArmed('pending')) return this.end();
      }
    });
    source.on('error', () => this.end());
    source.on('close', () => this.end());
  }

  #noteBegin(messages: readonly Message[]): void {
    if (messages.some((message) => isQuery('BEGIN ISOLATION LEVEL READ COMMITTED', message))) {
      this.#counts = { client: 0, server: 0 };
      this.#isBatch = false;
    }
    this.#isBatch ||= messages.some(({ type, bytes }) => type === 'B' && bytes.includes('\0claim_identities\0'));
  }

  /** Is the connection cut before this message is forwarded? */
  #isCommitCut(from: Side, message: Message): boolean {
    if (from === 'server') return this.#isAnswerCut(message);
    if (isBegin(message)) this.#armed = null;
    this.#armed ??= this.#parts.findArmed(message.bytes);
    return isQuery('COMMIT', message) && this.#takeArmed('unsent');
  }

  #isAnswerCut(message: Message): boolean {
    const isCut =
      isAnswerTo('COMMIT', message) && ((this.#hasInserted && this.#parts.cutsAll()) || this.#takeArmed('answered'));
    if (message.type === 'C') this.#hasInserted = isAnswerTo('INSERT 0 1', message);
    return isCut;
  }

  #takeArmed(cut: CommitCut): boolean {
    return this.#armed !== null && this.#parts.takeArmed(this.#armed, cut);
  }

  #isCut(from: Side, message: Message): boolean {
    const counts = this.#counts;
    if (counts === null) return false;
    counts[from] += 1;
    if (this.#isBatch && this.#parts.isCut(from, counts, message)) return true;
    if (from === 'server' && (isAnswerTo('COMMIT', message) || isAnswerTo('ROLLBACK', message))) {
      if (this.#isBatch) this.#parts.onBatch(counts);
      this.#counts = null;
    }
    return false;
  }
}

function isQuery(text: string, { type, bytes }: Message): boolean {
  return type === 'Q' && bytes.toString('utf8', 5, bytes.length - 1) === text;
}

function isBegin({ type, bytes }: Message): boolean {
  return type === 'Q' && bytes.toString('utf8', 5).startsWith('BEGIN ');
}

function isAnswerTo(command: string, { type, bytes }: Message): boolean {
  return type === 'C' && bytes.toString('utf8', 5, bytes.length - 1) === command;
}

/** Divides a stream into messages: a type of one byte, and a length that includes itself. */
class Framing {
  #rest: Buffer = Buffer.alloc(0);
  /** The first message of a client has only the length. */
  #isFirst: boolean;

  constructor(isClient: boolean) {
    this.#isFirst = isClient;
  }

  take(chunk: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const start = this.#isFirst ? 0 : 1;
      if (this.#rest.length < start + 4) return messages;
      const length = start + this.#rest.readUInt32BE(start);
      if (this.#rest.length < length) return messages;
      const type = this.#isFirst ? '' : this.#rest.toString('latin1', 0, 1);
      messages.push({ type, bytes: this.#rest.subarray(0, length) });
      this.#rest = this.#rest.subarray(length);
      this.#isFirst = false;
    }
  }
}
