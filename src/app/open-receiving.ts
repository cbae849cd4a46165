import type { FindClientAddress } from '../domain/network/client-address.ts';
import type { Part } from '../domain/part.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import { createIngress } from '../ingress/create-ingress.ts';
import { BackfillMarks } from '../ingress/log/backfill-marks.ts';
import { CaptureWindows } from '../ingress/log/capture-window.ts';
import type { UrlProbes } from '../ingress/log/url-probes.ts';
import { createReplays, type ReplayService } from '../ingress/replay/create-replays.ts';
import { TickLoop } from '../ingress/schedules/tick-loop.ts';
import type { Health } from '../operations/health/health.ts';
import type { Dispatcher } from '../runs/dispatcher.ts';
import type { Replicas } from '../storage/replicas/join-replicas.ts';
import type { DaemonObservers } from './observe-daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';
import type { Definitions } from './open-definitions.ts';

interface ReceivingParts {
  observers: DaemonObservers;
  replicas: Replicas;
  definitions: Definitions;
  urlProbes: UrlProbes;
  health: Pick<Health, 'ready'>;
  dispatcher: Pick<Dispatcher, 'pauses'>;
  findClientAddress: FindClientAddress;
}

/** What creates entries of the delivery log: the ingress, replays, and ticks of schedules. */
export function openReceiving(state: DaemonState, given: ReceivingParts) {
  const { config, storage, addresses, sockets, hurry, clock, ids, parts, publish, logger } = state;
  const { observers, replicas, definitions, urlProbes, health } = given;
  const { registry, metrics } = observers;
  const tracer = observers.tracing?.deliveries ?? null;
  const captures = new CaptureWindows(clock);
  const backfillMarks = new BackfillMarks();
  const ingress = createIngress({
    config,
    storage,
    registry,
    secretHistory: definitions.storedSecrets,
    adoptSecret: definitions.reconciling.adoptSecret,
    sockets: sockets.ingress,
    onListening: (url) => {
      addresses.ingress = url;
    },
    isReady: async () => (await health.ready()).ready,
    findClientAddress: given.findClientAddress,
    hurry: hurry.signal,
    metrics,
    admissions: replicas.admissions,
    tracer,
    captures,
    urlProbes,
    backfillMarks,
    publish,
    clock,
    ids,
    logger,
  });
  const replays = createReplays({
    replays: storage.replays,
    deliveries: storage.deliveryReader,
    registry,
    recorder: ingress.recorder,
    tracer,
    onRecorded: (entry, outcome) => publish('deliveryRecorded', { entry, outcome }),
    onRunsCreated: (factory, runs) => publish('runsCreated', { factory, runs }),
    clock,
    ids,
    logger,
  });
  parts.add(ingress.part, replayDeliveries(replays), recordTicks(state, given));
  return { ingress, replays, captures, backfillMarks };
}

function replayDeliveries(replays: ReplayService): Part {
  return { name: 'replays', lead: (term) => replays.start(term), stop: () => replays.stop() };
}

function recordTicks(
  { storage, clock, ids, publish, logger }: DaemonState,
  { observers: { registry }, definitions: { liveFactories }, dispatcher }: ReceivingParts,
): Part {
  const ticks = new TickLoop({
    store: storage.schedules,
    findSource: (factory) => registry.tickSource(factory),
    setSource: (factory, source) => liveFactories.setTickSource(factory, source),
    explainPause: (factory, automation) => dispatcher.pauses.explain(factory, automation),
    clock,
    ids,
    schedule: scheduleCall,
    onRecorded: (entry, outcome) => publish('deliveryRecorded', { entry, outcome }),
    onRunsCreated: (factory, runs) => publish('runsCreated', { factory, runs }),
    logger,
  });
  return {
    name: 'schedules',
    lead: (term) => ticks.start(term),
    stop: () => ticks.stop(),
    on: {
      schedulesChanged: (changes) => ticks.follow(changes),
      factoryRemoved: ({ factory }) => ticks.remove(factory),
    },
  };
}
