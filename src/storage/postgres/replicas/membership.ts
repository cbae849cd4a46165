// The group of replicas, as the database sees it. In: one connection for each daemon. Out: events for the daemon (leading,
// renewed, received, reconnected).
// Next: `leadership.ts` for the lock, the epoch and signs of life; `led-operations.ts` for writes that name the epoch;
// `live-versions.ts` for the versions of definitions; `channel.ts` for messages. The daemon's side:
// `storage/replicas/join-group.ts`.

import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { AppError, type ErrorCode, messageOf } from '../../../domain/errors.ts';
import type { GroupEvent } from '../../../domain/ports/replicas.ts';
import { machineNowMs } from '../../../domain/time/machine-time.ts';
import { TYPES } from '../open-database.ts';
import { declareVersion } from '../schema-version.ts';
import { toStorageError } from '../storage-error.ts';
import { listen, readPayload } from './channel.ts';
import {
  type BeatingReplica,
  beat,
  beginTerm,
  continueTerm,
  endStaleLeader,
  type LeaderTerm,
  nameSession,
  rejectCommand,
} from './leadership.ts';

/** Between two signs of life. */
const BEAT_MS = 2000;

/** A connection without an answer for this time is lost. A new one gives a sign of life before the lead is lost. */
const ANSWER_MS = 5000;

/** Between two attempts to connect again. */
const RECONNECT_MS = 500;

/** The part of a daemon in the group of those that share a database. */
export interface Membership {
  /** The epoch in which this daemon leads; `null` if it does not lead. */
  epoch(): number | null;
  /** Leaves the group. The lead is free immediately. */
  leave(): Promise<void>;
}

interface MembershipParts {
  url: string;
  self: BeatingReplica;
  report(event: GroupEvent): void;
  /** This replica has to stop: another one took the lead from it, or changed the schema so that it cannot continue. */
  onDeposed(error: AppError): void;
}

/**
 * Joins the group on a separate connection: it holds the lead, receives messages, and gives signs of life. A lost connection
 * is replaced. The first attempt to lead has ended when this resolves.
 *
 * ```
 *              the lock is free                    connection lost
 *   follower ───────────────────▶ leader (epoch) ─────────────────▶ leader without the lock
 *      ▲                             ▲                                   │         │
 *      └─ connection replaced        └── lock taken, the same epoch ─────┘         ▼ a later epoch
 *                                                                               deposed
 * ```
 *
 * A daemon that is deposed, or whose schema is too old now, gives up in any state: it ends (`onDeposed`).
 */
export async function joinGroup(parts: MembershipParts): Promise<Membership> {
  const member = new Member(parts);
  await member.connect();
  member.keepBeating();
  return member;
}

class Member implements Membership {
  readonly #parts: MembershipParts;
  readonly #leaving = new AbortController();
  #client: Client | null = null;
  #term: LeaderTerm | null = null;
  #beating: Promise<void> = Promise.resolve();

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  epoch(): number | null {
    return this.#term?.epoch ?? null;
  }

  /** @throws `storage_unavailable` if PostgreSQL cannot be reached, `storage_newer` if newer daemons changed its schema */
  async connect(): Promise<void> {
    const { url, self } = this.#parts;
    const client = new Client({
      connectionString: url,
      types: TYPES,
      application_name: nameSession(self.id),
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await declareVersion(client);
      await listen(client);
      await this.#lead(client);
      if (this.#term === null) await rejectCommand(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw describeFailure(error);
    }
    client.once('end', () => {
      if (this.#client === client) this.#client = null;
    });
    this.#client = client;
  }

  keepBeating(): void {
    this.#beating = this.#beat();
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#beating;
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    await client.query('DELETE FROM replicas WHERE id = $1', [this.#parts.self.id]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const isConnected = await this.#beatOnce();
      await pause(isConnected ? BEAT_MS : RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #beatOnce(): Promise<boolean> {
    try {
      if (this.#client === null) {
        await this.connect();
        this.#parts.report({ event: 'reconnected' });
      }
      const client = this.#client!;
      await this.#renew(client);
      if (this.#term === null) {
        await endStaleLeader(client, this.#parts.self.id);
        await this.#lead(client);
      }
      return true;
    } catch (error) {
      if (error instanceof AppError && GIVE_UP.has(error.code)) this.#giveUp(error);
      await this.#client?.end().catch(() => undefined);
      this.#client = null;
      return false;
    }
  }

  /** The lease counts from before the request: the database may have received it then. */
  async #renew(client: Client): Promise<void> {
    const at = machineNowMs();
    const wasLost = await beat(client, this.#parts.self);
    this.#parts.report({ event: 'renewed', at, wasLost });
  }

  async #lead(client: Client): Promise<void> {
    const { self, report } = this.#parts;
    if (this.#term === null) {
      this.#term = await beginTerm(client, self.id);
      if (this.#term !== null) report({ event: 'leading', epoch: this.#term.epoch });
      return;
    }
    const outcome = await continueTerm(client, self.id, this.#term);
    if (outcome === 'deposed') throw new Deposed();
    if (outcome === 'held')
      throw new AppError('storage_unavailable', 'an earlier session holds the lock of the leader');
  }

  #giveUp(error: AppError): void {
    this.#leaving.abort();
    this.#parts.onDeposed(error);
  }

  #receive(payload: string): void {
    const received = readPayload(this.#parts.self.id, payload);
    if (received !== null) this.#parts.report({ event: 'received', ...received });
  }
}

const GIVE_UP: ReadonlySet<ErrorCode> = new Set(['not_leading', 'storage_newer']);

class Deposed extends AppError {
  constructor() {
    super(
      'not_leading',
      'another replica took the lead while this daemon could not reach PostgreSQL, or did not answer in time',
    );
  }
}

function describeFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const translated = toStorageError(error);
  if (translated instanceof AppError) return translated;
  return new AppError('storage_unavailable', `PostgreSQL: ${messageOf(error)}`, { cause: error });
}
