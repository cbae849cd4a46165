// The daemons that share a database, as one of them sees them. docs/architecture/several-daemons.md follows the lead and
// messages.
// In: events of the storage thread, happenings of this daemon. Out: `lead` of all parts, happenings of other daemons.
// Next: `join-group.ts` for who leads, `happenings-elsewhere.ts` for how each happening crosses, `live-follower.ts` for
// definitions, `run-lease.ts` for commands, `admissions.ts` for limits, `shared-captures.ts` for capture windows.

import { randomBytes } from 'node:crypto';
import { messageOf } from '../../domain/errors.ts';
import type { Publish } from '../../domain/happenings.ts';
import type { Part } from '../../domain/part.ts';
import type { ReconcileControl } from '../../domain/ports/definitions.ts';
import type { LocalCaptures, SharedCaptureControl } from '../../domain/ports/delivery-control.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type {
  ProbeMessage,
  ReplicaDescription,
  ReplicaGroup,
  ReplicaMessage,
  ReplicaTable,
  SharedAdmissions,
} from '../../domain/ports/replicas.ts';
import { LONE_RUN_GROUP, type RunGroup } from '../../domain/ports/run-group.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { scheduleCall } from '../../domain/time/schedule.ts';
import type { Elsewhere } from '../../platform/parts.ts';
import { Admissions } from './admissions.ts';
import { Exchange } from './exchange.ts';
import { createPublishElsewhere, receiveAfterLoss, receiveMessage } from './happenings-elsewhere.ts';
import { type FollowLive, type GroupParts, JoinedGroup } from './join-group.ts';
import { JoinedRunGroup } from './join-run-group.ts';
import { createLoneGroup, keepCapturesAlone } from './lone-group.ts';
import { isAboutCaptures, SharedCaptures } from './shared-captures.ts';

/** This daemon in the group of those that share its storage. */
export interface Replicas {
  group: ReplicaGroup;
  /** The same daemons, as far as they execute runs. */
  runGroup: RunGroup;
  /** For limits that the replicas share; `undefined` without other replicas. */
  admissions: SharedAdmissions | undefined;
  /** Sends messages about probes; `null` without other replicas. */
  announceProbe: ((message: ProbeMessage) => void) | null;
  /** Call before what was applied is read for the first time. */
  beginFollowing(follow: FollowLive): Promise<void>;
  /** The capture windows of all replicas. */
  shareCaptures(local: LocalCaptures): SharedCaptureControl;
}

/** A daemon that takes part in a group: the part that ends this, and its way to the others. */
interface JoinedReplicas extends Replicas {
  part: Part;
  elsewhere: Elsewhere;
}

type Self = Pick<ReplicaDescription, 'name' | 'version' | 'startedAt'>;

/** A daemon with its own storage. */
export function createLoneReplica(self: Self): Replicas {
  const addresses = { ingressUrl: null, adminUrl: null };
  return {
    group: createLoneGroup({ id: randomBytes(4).toString('hex'), ...self, ...addresses, live: {} }),
    runGroup: LONE_RUN_GROUP,
    admissions: undefined,
    announceProbe: null,
    beginFollowing: async () => {},
    shareCaptures: keepCapturesAlone,
  };
}

export interface ReplicaParts {
  self: Self;
  machine: string;
  leaseMs: number;
  extendLease(until: number): void;
  replicas: ReplicaTable;
  listen: GroupParts['listen'];
  deliveries: Pick<DeliveryReader, 'get'>;
  /** Reports what happened at another daemon. */
  receive: Publish;
  clock: Pick<Clock, 'monotonicMs'>;
  logger: Logger;
}

/** Joins the daemons that share the database. */
export function joinReplicas(parts: ReplicaParts): JoinedReplicas {
  const { self, machine, leaseMs, replicas, listen, receive, logger } = parts;
  const announce = (message: ReplicaMessage): Promise<void> =>
    replicas
      .announce(message)
      .catch((error) => logger.warn({ problem: messageOf(error) }, 'other replicas not reached'));
  let captures: SharedCaptures | null = null;
  const countReplicas = () => group.size;
  const runGroup = new JoinedRunGroup({ machine, replicas, countReplicas, leaseMs, extend: parts.extendLease });
  // Its signs of life so far arrive while it is created.
  const group: JoinedGroup = new JoinedGroup({
    replicas,
    listen,
    self,
    onRenewed: (event) => runGroup.renew(event),
    onReconnected: () => receiveAfterLoss(receive),
    onMessage: (message, from) => {
      if (isAboutCaptures(message)) captures?.note(message, from);
      else receiveMessage(message, receive);
    },
    logger,
  });
  const exchange = new Exchange(announce, countReplicas);
  const admissions = new Admissions({ announce, countReplicas });
  const noteOwnChange = (factory: string, version: number | undefined) => group.noteOwnChange(factory, version);
  const publishElsewhere = createPublishElsewhere({ announce, exchange, noteOwnChange });
  return {
    part: {
      name: 'replicas',
      lead: (term) => captures?.lead(term),
      stop: async () => {
        exchange.stop();
        captures?.stop();
        runGroup.stop();
        admissions.stop();
        await group.stop();
      },
    },
    group,
    elsewhere: { group, publish: publishElsewhere },
    runGroup,
    admissions,
    announceProbe: announce,
    beginFollowing: (follow) => group.beginFollowing(follow),
    shareCaptures: (local) => {
      captures = new SharedCaptures({
        local,
        announce,
        readDelivery: (id) => parts.deliveries.get(id),
        nowMs: () => parts.clock.monotonicMs(),
        schedule: scheduleCall,
      });
      return captures;
    },
  };
}

/** A reconciliation that somebody waits for ends when all replicas serve what it applied. */
export function waitForReplicas(
  control: ReconcileControl,
  group: Pick<ReplicaGroup, 'untilLive'>,
  logger: Logger,
): ReconcileControl {
  return {
    ...control,
    reconcileNow: async (factory) => {
      const reconciliation = await control.reconcileNow(factory);
      const behind = await group.untilLive(factory);
      const names = behind.map(({ name }) => name);
      if (names.length > 0) logger.warn({ factory, replicas: names }, 'replicas do not serve yet what was applied');
      return reconciliation;
    },
  };
}
