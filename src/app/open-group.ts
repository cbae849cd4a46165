import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { messageOf } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { ReconcileControl } from '../domain/ports/definitions/reconciler.ts';
import type { LocalCaptures, SharedCaptureControl } from '../domain/ports/deliveries/capture-control.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type {
  CaptureMessage,
  ProbeMessage,
  ReplicaGroup,
  ReplicaMessage,
  SharedAdmissions,
} from '../domain/ports/replicas.ts';
import { LONE_RUN_GROUP, type RunGroup } from '../domain/ports/runs/run-group.ts';
import type { DeliveryLogEntry } from '../domain/resources/delivery.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import type { StoredTraceContext } from '../domain/trace-context.ts';
import type { LiveFactories } from '../ingress/registry/live-factories.ts';
import type { RequestChecks } from '../reconcile/pull-requests/create-request-checks.ts';
import type { ReconcileThread } from '../reconcile/thread/start-reconcile-thread.ts';
import type { Dispatcher } from '../runs/dispatcher.ts';
import { NO_WATCHDOG, type RunWatchdog, WatchdogProcess } from '../runs/executors/watchdog/run-watchdog.ts';
import { Admissions } from '../storage/replicas/admissions.ts';
import { Exchange } from '../storage/replicas/exchange.ts';
import { JoinedGroup } from '../storage/replicas/join-group.ts';
import { JoinedRunGroup } from '../storage/replicas/join-run-group.ts';
import { createLoneGroup, keepCapturesAlone } from '../storage/replicas/lone-group.ts';
import { SharedCaptures } from '../storage/replicas/shared-captures.ts';
import type { Ingress } from './create-ingress.ts';
import type { Lifetime } from './lifetime.ts';
import type { DaemonObservers } from './observe-daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';

/** The parts of a daemon that follow what other replicas announce. */
export interface GroupFollowers {
  ingress: Pick<Ingress, 'noteAdmitted' | 'urlProbes'>;
  dispatcher: Pick<Dispatcher, 'onRunsCreated' | 'wakeAll' | 'followCancel'>;
  reconciling: Pick<ReconcileThread, 'onPush' | 'follow'>;
  requestChecks: Pick<RequestChecks, 'onHint'>;
  liveFactories: Pick<LiveFactories, 'remove'>;
  /** A version of this secret was stored elsewhere. */
  onSecretChanged(name: string): void;
}

/** This daemon in the group of those that share its storage. */
export interface OpenGroup {
  group: ReplicaGroup;
  /** The same daemons, as far as they execute runs. */
  runGroup: RunGroup;
  /** Ends the processes of runs if this daemon cannot. */
  watchdog: RunWatchdog;
  /** For limits that the replicas share; `undefined` without other replicas. */
  admissions: SharedAdmissions | undefined;
  /** Call before what was applied is read for the first time. */
  beginFollowing(): Promise<void>;
  /** The capture windows of all replicas. */
  shareCaptures(local: LocalCaptures): SharedCaptureControl;
  /** Messages of this daemon to the others. */
  announce: {
    applied(factory: string, version: number | undefined): void;
    secret(name: string): void;
    recorded(entry: DeliveryLogEntry): void;
    push(factory: string, trace: StoredTraceContext | null): void;
    pullRequests(factory: string): void;
    /** `null` without others. */
    probe: ((message: ProbeMessage) => void) | null;
    startable(factory: string): void;
    runChanged(run: RunId): void;
  };
}

/** @param followers known when the first message arrives */
export function openGroup(
  state: DaemonState,
  observers: DaemonObservers,
  followers: () => GroupFollowers,
  lifetime: Lifetime,
): OpenGroup {
  const { name } = state.config.replica;
  const self = { name: name ?? hostname(), version: observers.build.version, startedAt: state.clock.wallMs() };
  const { machine, config, logger } = state;
  if (machine === null) return openLoneGroup(self);
  const { replicas, listen } = state.group;
  const watchdog = new WatchdogProcess(logger);
  const runGroup = new JoinedRunGroup({
    machine,
    replicas,
    countReplicas: () => group.size,
    leaseMs: config.replica.runLeaseMs,
    extend: (until) => watchdog.extend(until),
  });
  const announce = (message: ReplicaMessage): Promise<void> =>
    replicas
      .announce(message)
      .catch((error) => logger.warn({ problem: messageOf(error) }, 'other replicas not reached'));
  const group: JoinedGroup = new JoinedGroup({
    replicas,
    listen,
    self,
    follow: (factory, versions) => followStored(factory, versions, { state, observers, followers: followers() }),
    onRenewed: (event) => runGroup.renew(event),
    onReconnected: () => catchUp(group.isLeader, observers, followers()),
    onMessage: (message, from) => {
      if (isAboutCaptures(message)) captures?.note(message, from);
      else follow(message, group.isLeader, { state, observers, followers: followers() });
    },
    logger,
  });
  const exchange = new Exchange(announce, () => group.size);
  const admissions = new Admissions({ announce, countReplicas: () => group.size });
  let captures: SharedCaptures | null = null;
  lifetime.defer(async () => {
    exchange.stop();
    captures?.stop();
    runGroup.stop();
    watchdog.close();
    admissions.stop();
    await group.stop();
  });
  return {
    group,
    runGroup,
    watchdog,
    admissions,
    beginFollowing: () => group.beginFollowing(),
    shareCaptures: (local) => {
      captures = new SharedCaptures({
        local,
        announce,
        isLeader: () => group.isLeader,
        readDelivery: (id) => state.storage.deliveryReader.get(id),
        nowMs: () => state.clock.monotonicMs(),
        schedule: scheduleCall,
      });
      return captures;
    },
    announce: {
      applied: (factory, version) => group.noteOwnChange(factory, version),
      secret: (name) => announce({ kind: 'secret', name }),
      // The leader sees its own.
      recorded: (entry) => {
        if (!group.isLeader) noteRecorded(exchange, entry);
      },
      push: (factory, trace) => announce({ kind: 'push', factory, trace }),
      pullRequests: (factory) => announce({ kind: 'pullRequests', factory }),
      probe: announce,
      startable: (factory) => exchange.noteStartable(factory),
      // The leader sees its own.
      runChanged: (run) => {
        if (!group.isLeader) exchange.noteRunChanged(run);
      },
    },
  };
}

function openLoneGroup(self: { name: string; version: string; startedAt: number }): OpenGroup {
  const addresses = { ingressUrl: null, adminUrl: null };
  const group = createLoneGroup({ id: randomBytes(4).toString('hex'), ...self, ...addresses, live: {} });
  const nobody = () => {};
  return {
    group,
    runGroup: LONE_RUN_GROUP,
    watchdog: NO_WATCHDOG,
    admissions: undefined,
    beginFollowing: async () => {},
    shareCaptures: keepCapturesAlone,
    announce: {
      applied: nobody,
      secret: nobody,
      recorded: nobody,
      push: nobody,
      pullRequests: nobody,
      probe: null,
      startable: nobody,
      runChanged: nobody,
    },
  };
}

function noteRecorded(exchange: Exchange, entry: DeliveryLogEntry): void {
  exchange.noteRecorded(entry.id);
  if (entry.kind !== 'rejection') return;
  exchange.noteUnaccepted(entry.label === null ? 'limited' : 'rejected', entry.webhook, entry.count);
}

function isAboutCaptures(message: ReplicaMessage): message is CaptureMessage {
  return ['capture', 'captured', 'diagnose', 'diagnosed'].includes(message.kind);
}

interface FollowParts {
  state: DaemonState;
  observers: DaemonObservers;
  followers: GroupFollowers;
}

/** Serves what the storage has for a factory. A factory that was forgotten or renamed elsewhere ends here, too. */
async function followStored(
  factory: string,
  { served, stored }: { served: number; stored: number },
  { state, observers, followers }: FollowParts,
): Promise<number> {
  if (state.isConfigured(factory)) return followers.reconciling.follow(factory, served);
  followers.liveFactories.remove(factory);
  observers.registry.known.forgetFactory(factory);
  return stored;
}

/** Does what follows from a message of another replica. One of another version may have a kind that this version does not know. */
function follow(
  message: Exclude<ReplicaMessage, CaptureMessage>,
  isLeader: boolean,
  { state, observers, followers }: FollowParts,
): void {
  if (message.kind === 'admitted') {
    followers.ingress.noteAdmitted(message.of, message.counts);
  } else if (message.kind === 'probe' || message.kind === 'probeSeen') {
    followers.ingress.urlProbes.noteElsewhere(message);
  } else if (message.kind === 'secret') {
    followers.onSecretChanged(message.name);
  } else if (message.kind === 'runs') {
    // Any of them may have a concurrency key.
    for (const factory of message.factories) followers.dispatcher.onRunsCreated(factory, [{ concurrencyKey: '' }]);
  } else if (message.kind === 'cancel') {
    followers.dispatcher
      .followCancel(message.run)
      .catch((error) => state.logger.warn({ err: error, run: message.run }, 'cancelling a run failed'));
  } else if (!isLeader || message.kind === 'live' || message.kind === 'joined') {
    // The rest concerns the leader.
  } else if (message.kind === 'runsChanged') {
    observers.sources.onRunsChangedElsewhere(message.runs);
    if (message.runs === null) observers.notifier.offerRecentRuns();
    else for (const run of message.runs) observers.notifier.offerRun(run);
  } else if (message.kind === 'push') {
    if (state.isConfigured(message.factory)) followers.reconciling.onPush(message.factory, message.trace);
  } else if (message.kind === 'pullRequests') {
    followers.requestChecks.onHint(message.factory);
  } else if (message.kind === 'unaccepted') {
    for (const [webhook, count] of message.counts) observers.alerts.noteUnaccepted(message.of, Number(webhook), count);
  } else if (message.kind === 'recorded') {
    observers.sources.onRecordedElsewhere(message.deliveries);
  }
}

/** Does what follows from messages that may have been lost. */
function catchUp(isLeader: boolean, { sources, notifier }: DaemonObservers, { dispatcher }: GroupFollowers): void {
  dispatcher.wakeAll();
  if (!isLeader) return;
  sources.onRunsChangedElsewhere(null);
  notifier.offerRecentRuns();
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
