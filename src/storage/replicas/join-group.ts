import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type {
  GroupEvent,
  GroupState,
  ListedReplica,
  Replica,
  ReplicaAddresses,
  ReplicaDescription,
  ReplicaGroup,
  ReplicaMessage,
  ReplicaTable,
} from '../../domain/ports/replicas.ts';
import type { Backoff } from '../../domain/time/backoff.ts';
import { Loop } from '../../platform/loop.ts';
import type { StorageThread } from '../thread/start-storage.ts';
import { LiveFollower, type LiveFollowerParts } from './live-follower.ts';

/** How long a missed message delays what others changed. */
const CHECK_MS = 2000;

/** After a failure. A replica that is to lead begins after a check. */
const RETRY_BACKOFF: Backoff = { firstMs: 500, maxMs: CHECK_MS };

/** A replica without a sign of life for this time does not count. */
const LOST_MS = 15_000;

/** Between two looks at what the others serve, and how long they may take to follow. */
const LOOK_MS = 50;
const FOLLOW_MS = 10_000;

/** Makes live what other replicas changed in a factory. */
export type FollowLive = LiveFollowerParts['follow'];

export interface GroupParts {
  replicas: Pick<ReplicaTable, 'list' | 'describe' | 'announce' | 'liveVersions' | 'changesSince'>;
  listen: StorageThread['group']['listen'];
  self: Omit<ReplicaDescription, 'live' | keyof ReplicaAddresses>;
  /** @param from ID of the replica that sent it */
  onMessage(message: ReplicaMessage, from: string): void;
  /** The database has a sign of life of this daemon. */
  onRenewed(event: Extract<GroupEvent, { event: 'renewed' }>): void;
  /** Messages may have been lost. */
  onReconnected(): void;
  logger: Logger;
}

/**
 * The group of the daemons on one database, for a daemon that takes part.
 *
 * ```
 *           start                 `leading`                  what the others changed is served
 *  created ───────▶ following ──────────────▶ catching up ────────────────────────────────────▶ leading (`onLead`)
 *                       │                          │                                               │
 *                       └───────── stop ───────────┴───────────────────────────────────────────────┴──▶ stopped
 * ```
 *
 * A term ends only with its daemon. After another one began to lead, the changes of the earlier leader fail, because each
 * names its epoch, and its daemon ends.
 */
export class JoinedGroup implements ReplicaGroup {
  readonly #parts: GroupParts;
  readonly #follower: LiveFollower;
  readonly #loop: Loop;
  #addresses: ReplicaAddresses | null = null;
  #epoch: number | null = null;
  #begin: (() => void) | null = null;
  #follow: FollowLive | null = null;
  #leaders = 0;
  #followers = 0;

  constructor(parts: GroupParts) {
    this.#parts = parts;
    this.#follower = new LiveFollower({
      replicas: parts.replicas,
      follow: async (factory, versions) => this.#follow?.(factory, versions) ?? versions.served,
      onChanged: () => this.#describe(),
      logger: parts.logger,
    });
    this.#loop = new Loop({
      turn: () => this.#takeTurn(),
      onFailure: (error) =>
        parts.logger.warn({ problem: messageOf(error) }, 'changes of other replicas not read; repeated soon'),
      backoff: RETRY_BACKOFF,
    });
    parts.listen((event) => this.#note(event));
  }

  get isLeader(): boolean {
    return this.#epoch !== null;
  }

  /** The number of replicas that gave signs of life at the last check, with this one. */
  get size(): number {
    return Math.max(1, this.#leaders + this.#followers);
  }

  state(): GroupState {
    return {
      leads: this.isLeader,
      leaders: this.#leaders,
      followers: this.#followers,
      changesBehind: this.#follower.changesBehind,
    };
  }

  onLead(begin: () => void): void {
    this.#begin = begin;
    if (this.isLeader) this.#check();
  }

  async list(): Promise<ListedReplica[]> {
    const { served } = this.#follower;
    const isBehind = ({ live }: Replica, factory: string) => (live[factory] ?? 0) < served[factory]!;
    return (await this.#parts.replicas.list()).map((replica) => ({
      ...replica,
      isAlive: replica.seenMsAgo < LOST_MS,
      behind: Object.keys(served).filter((factory) => isBehind(replica, factory)),
    }));
  }

  async findLeader(): Promise<ListedReplica | null> {
    return (await this.list()).find(({ isLeader, isAlive }) => isLeader && isAlive) ?? null;
  }

  async untilLive(factory: string): Promise<ListedReplica[]> {
    const until = performance.now() + FOLLOW_MS;
    for (;;) {
      const behind = (await this.list()).filter((replica) => replica.isAlive && replica.behind.includes(factory));
      if (behind.length === 0 || performance.now() > until) return behind;
      await pause(LOOK_MS);
    }
  }

  /** Call before what is served is read from the storage for the first time. */
  async beginFollowing(follow: FollowLive): Promise<void> {
    this.#follow = follow;
    this.#follower.begin(await this.#parts.replicas.liveVersions());
  }

  /** As `LiveFollower.noteOwn`. */
  noteOwnChange(factory: string, version: number | undefined): void {
    this.#follower.noteOwn(factory, version);
  }

  async start(addresses: ReplicaAddresses): Promise<void> {
    this.#addresses = addresses;
    const { replicas } = this.#parts;
    await replicas.describe(this.#describeSelf(addresses));
    // The others share limits and runs with this replica from now on, not from their next check.
    await replicas.announce({ kind: 'joined' });
    this.#check();
    await this.#loop.settled();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  #note(event: GroupEvent): void {
    if (event.event === 'leading') {
      this.#epoch = event.epoch;
      this.#parts.logger.info({ epoch: event.epoch }, 'this replica leads');
      if (this.#begin !== null) this.#check();
    } else if (event.event === 'renewed') {
      this.#parts.onRenewed(event);
    } else if (this.#addresses === null) {
      // What this daemon misses before its start, it reads then.
    } else if (event.event === 'reconnected') {
      this.#check();
      this.#parts.onReconnected();
    } else if (event.message.kind === 'live' || event.message.kind === 'joined') {
      this.#check();
    } else {
      this.#parts.onMessage(event.message, event.from);
    }
  }

  #check(): void {
    if (this.#loop.isRunning) this.#loop.wake();
    else this.#loop.start();
  }

  /** What the earlier leader applied last is served before anything is planned: plans are made from what is served. */
  async #takeTurn(): Promise<number | null> {
    const begin = this.isLeader ? this.#begin : null;
    await this.#follower.check();
    await this.#countReplicas();
    if (begin !== null) {
      this.#begin = null;
      begin();
    }
    return this.#addresses === null ? null : CHECK_MS;
  }

  async #countReplicas(): Promise<void> {
    const alive = (await this.list()).filter(({ isAlive }) => isAlive);
    this.#leaders = alive.filter(({ isLeader }) => isLeader).length;
    this.#followers = alive.length - this.#leaders;
  }

  /** What is lost here is published with the next change. */
  #describe(): void {
    if (this.#addresses === null) return;
    this.#parts.replicas.describe(this.#describeSelf(this.#addresses)).catch(() => undefined);
  }

  #describeSelf(addresses: ReplicaAddresses): ReplicaDescription {
    return { ...this.#parts.self, ...addresses, live: this.#follower.served };
  }
}
