import type { Config } from '../config/config.ts';
import type { FindClientAddress } from '../domain/client-address.ts';
import { messageOf } from '../domain/errors.ts';
import type { IdSource } from '../domain/ids.ts';
import type { UnloggedCounts } from '../domain/ports/deliveries/unlogged-counts.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { IngressMetrics } from '../domain/ports/metrics.ts';
import type { AdmissionKind, Counts, SharedAdmissions } from '../domain/ports/replicas.ts';
import type { SecretHistory } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { DeliveryTracer } from '../domain/ports/tracing.ts';
import type { DeliveryLogEntry, NewRun, RecordOutcome } from '../domain/resources/delivery.ts';
import type { Clock } from '../domain/time/clock.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import type { LoopGuardLimit } from '../domain/words/loop-guard.ts';
import { handleDelivery } from '../ingress/handle-delivery.ts';
import type { AdoptSecret, IngressContext, IngressListeners } from '../ingress/ingress-context.ts';
import { LIMITS_PER_MINUTE, type LimitsPerMinute, RateLimits } from '../ingress/limits.ts';
import { BackfillMarks } from '../ingress/log/backfill-marks.ts';
import { HandshakeRows, RejectionRows } from '../ingress/log/capped-rows.ts';
import { CaptureWindows } from '../ingress/log/capture-window.ts';
import { DeliveryRecorder } from '../ingress/log/delivery-recorder.ts';
import { logGuarded } from '../ingress/log/log-guarded.ts';
import { RateLimitedRows } from '../ingress/log/rate-limited-rows.ts';
import { UnloggedTally } from '../ingress/log/unlogged-tally.ts';
import { UrlProbes, type UrlProbesParts } from '../ingress/log/url-probes.ts';
import { computeMaxConnections, readOpenFileLimit, warnOfLowFileLimit } from '../ingress/open-file-limit.ts';
import type { IngressRequest } from '../ingress/reception.ts';
import type { Registry } from '../ingress/registry/registry.ts';
import { createReplays, type ReplayService } from '../ingress/replay/create-replays.ts';
import { Confirmations } from '../ingress/steps/confirmations.ts';
import { countMalformed } from '../ingress/steps/find-webhook.ts';
import { countLostRow } from '../ingress/steps/reject.ts';
import { VersionTrials } from '../ingress/steps/version-trials.ts';
import { createIngressServer, type IngressServer } from '../ingress/transport/http.ts';
import { createProbes } from '../ingress/transport/probes.ts';
import { BytesInFlight } from '../ingress/transport/read-body.ts';
import { type ReportedRequest, verifyOriginal } from '../ingress/verify-original.ts';
import type { Health } from '../operations/health/health.ts';
import type { Metrics } from '../operations/observability/metrics/metrics.ts';
import { bindServer, type ListenTarget, listen, logInheritedSockets } from '../platform/listen.ts';

/** On a clean stop, requests in progress have this time to be answered. */
const ANSWER_GRACE_MS = 5_000;

export interface IngressParts {
  config: Pick<Config, 'baseUrl' | 'ingress' | 'limits'>;
  storage: Pick<Storage, 'deliveryLog' | 'deliveryReader' | 'replays' | 'handshakeLog' | 'unloggedCounts'>;
  registry: Registry;
  secretHistory: SecretHistory;
  adoptSecret: AdoptSecret;
  /** Sockets to listen on instead of the configured address. */
  sockets: readonly number[];
  health: Pick<Health, 'ready'>;
  findClientAddress: FindClientAddress;
  /** Aborted when a stop has to hurry. */
  hurry: AbortSignal;
  metrics: IngressMetrics & Pick<Metrics, 'countUnlogged'>;
  /** For limits that replicas share; without it, this daemon is alone. */
  admissions?: SharedAdmissions | undefined;
  /** `null` if tracing is off. */
  tracer: DeliveryTracer | null;
  /** An entry of the delivery log is on disk, or could not be written. */
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  /** Runs of that factory were stored. */
  onRunsCreated(factory: string, runs: readonly NewRun[]): void;
  /** The production branch of that factory may have moved. */
  onPush: IngressListeners['onPush'];
  /** As in `UrlProbesParts`. */
  announceProbe: UrlProbesParts['announce'];
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

type IngressLimits = Pick<
  Config['limits'],
  keyof LimitsPerMinute | 'bodyBytes' | 'loopGuardRuns' | 'loopGuardWindowMs'
>;

/** What receives deliveries. */
export interface Ingress {
  captures: CaptureWindows;
  /** A version of this secret was stored. */
  onSecretChanged(name: string): void;
  replays: ReplayService;
  backfillMarks: BackfillMarks;
  /** Would the webhook accept the signature of this request? */
  verifyOriginal(uid: string, request: ReportedRequest): Promise<boolean>;
  rejectionRows: RejectionRows;
  handshakeRows: HandshakeRows;
  unlogged: UnloggedTally;
  urlProbes: UrlProbes;
  /** Reads of the counts, with everything that was counted until now. */
  unloggedCounts: Pick<UnloggedCounts, 'list'>;
  /** Requests to other replicas that count for limits. */
  noteAdmitted(kind: AdmissionKind, counts: Counts): void;
  /** From now on applies these limits. The counts of the last minute start again if a limit has changed. */
  setLimits(limits: IngressLimits): void;
  /** Opens the public listener; answers with its URL. */
  start(): Promise<string>;
  /** Answers what is in flight, then writes what waits. */
  stop(): Promise<void>;
}

function readLoopGuard({ loopGuardRuns, loopGuardWindowMs }: IngressLimits): LoopGuardLimit {
  return { runs: loopGuardRuns, windowMs: loopGuardWindowMs };
}

export function createIngress(parts: IngressParts): Ingress {
  const { config, storage, registry, clock, ids, logger, onRunsCreated } = parts;
  const unlogged = new UnloggedTally({
    counts: storage.unloggedCounts,
    clock,
    onCounted: parts.metrics.countUnlogged,
    onFailure: (error) => logger.warn({ problem: messageOf(error) }, 'counts of unlogged requests not stored'),
  });
  const urlProbes = new UrlProbes({ announce: parts.announceProbe, schedule: scheduleCall });
  const recorder = new DeliveryRecorder(
    storage.deliveryLog,
    (entry, outcome) => {
      logGuarded(logger, registry, entry, outcome);
      parts.onRecorded(entry, outcome);
    },
    (entry) => countLostRow({ registry, unlogged }, entry),
  );
  const rejectionRows = new RejectionRows((entry) => recorder.note(entry));
  const rateLimitedRows = new RateLimitedRows({ write: (entry) => recorder.note(entry), ids, clock });
  const handshakeRows = new HandshakeRows((entry) => {
    storage.handshakeLog
      .append(entry)
      .catch((error) => logger.warn({ problem: messageOf(error) }, 'handshake not logged'));
  });
  const replays = createReplays({
    replays: storage.replays,
    deliveries: storage.deliveryReader,
    registry,
    recorder,
    tracer: parts.tracer,
    onRecorded: parts.onRecorded,
    onRunsCreated,
    clock,
    ids,
    logger,
  });
  const captures = new CaptureWindows(clock);
  const versionTrials = new VersionTrials(parts.secretHistory, clock);
  const confirmations = new Confirmations();
  const backfillMarks = new BackfillMarks();
  let url = '';
  const context: IngressContext = {
    registry,
    limits: new RateLimits(config.limits, parts.admissions),
    recorder,
    rejectionRows,
    rateLimitedRows,
    unlogged,
    urlProbes,
    captures,
    versionTrials,
    handshakeRows,
    confirmations,
    backfillMarks,
    adoptSecret: parts.adoptSecret,
    metrics: parts.metrics,
    tracer: parts.tracer,
    clock,
    ids,
    maxBodyBytes: config.limits.bodyBytes,
    loopGuard: readLoopGuard(config.limits),
    baseUrl: () => config.baseUrl ?? url,
    listeners: {
      onRunsCreated,
      onPush: parts.onPush,
      onStorageFailure: (error) => logger.error({ problem: messageOf(error) }, 'delivery not stored'),
      onDefect: (error) => logger.error({ err: error }, 'delivery failed with an internal error'),
    },
  };
  const openFileLimit = readOpenFileLimit();
  const targets: ListenTarget[] = parts.sockets.length > 0 ? parts.sockets.map((fd) => ({ fd })) : [config.ingress];
  const serverParts = {
    handle: (request: IngressRequest) => handleDelivery(context, request),
    onMalformed: (path: string) => countMalformed(context, path),
    answerProbe: createProbes({
      isReady: async () => (await parts.health.ready()).ready,
      monotonicMs: () => clock.monotonicMs(),
    }),
    findClientAddress: parts.findClientAddress,
    inFlight: new BytesInFlight(),
    hurry: parts.hurry,
    bounds: { maxConnections: Math.ceil(computeMaxConnections(openFileLimit) / targets.length) },
  };
  const servers = targets.map(() => createIngressServer(serverParts));
  return {
    captures,
    onSecretChanged: (name) => versionTrials.forget(name),
    replays,
    backfillMarks,
    verifyOriginal: (uid, request) => verifyOriginal(context, uid, request),
    noteAdmitted: (kind, counts) => context.limits.noteElsewhere(kind, counts, clock.monotonicMs()),
    setLimits: (limits) => {
      const { perMinute } = context.limits;
      const isSame = LIMITS_PER_MINUTE.every((limit) => limits[limit] === perMinute[limit]);
      if (!isSame) context.limits = new RateLimits(limits, parts.admissions);
      context.maxBodyBytes = limits.bodyBytes;
      context.loopGuard = readLoopGuard(limits);
    },
    rejectionRows,
    handshakeRows,
    unlogged,
    urlProbes,
    unloggedCounts: {
      list: async (of) => {
        await unlogged.flush();
        return storage.unloggedCounts.list(of);
      },
    },
    start: async () => {
      warnOfLowFileLimit(openFileLimit, logger);
      // Known before the first request can ask for it: nothing is answered until it listens.
      const urls = await listenOnAll(targets, servers);
      url = urls[0]!;
      if (parts.sockets.length > 0) logInheritedSockets('ingress', config.ingress, urls, logger);
      return url;
    },
    stop: async () => {
      await replays.stop();
      // The next daemon continues with these sockets, so that a longer stop delays no delivery.
      if (parts.sockets.length > 0) await Promise.all(servers.map((server) => server.retire()));
      await Promise.all(servers.map((server) => server.close(ANSWER_GRACE_MS)));
      await confirmations.stop();
      await versionTrials.drain();
      rejectionRows.flush(clock.monotonicMs(), true);
      rateLimitedRows.flush(true);
      handshakeRows.flush(clock.monotonicMs(), true);
      await recorder.drain();
      await unlogged.flush();
    },
  };
}

/** Binds each server to its target. Returns their URLs. */
async function listenOnAll(targets: readonly ListenTarget[], servers: readonly IngressServer[]): Promise<string[]> {
  const urls: string[] = [];
  for (const [index, { server }] of servers.entries()) {
    const { url } = await listen('ingress', targets[index]!, server, (target) => bindServer(server, target));
    urls.push(url);
  }
  return urls;
}
