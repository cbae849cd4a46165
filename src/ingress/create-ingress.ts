import type { Config } from '../config/config.ts';
import type { ConfigChange } from '../config/live-config.ts';
import { messageOf } from '../domain/errors.ts';
import type { Publish } from '../domain/happenings.ts';
import type { IdSource } from '../domain/ids.ts';
import type { FindClientAddress } from '../domain/network/client-address.ts';
import type { Part } from '../domain/part.ts';
import type { UnloggedCounts } from '../domain/ports/delivery-log.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { IngressMetrics } from '../domain/ports/metrics.ts';
import type { SharedAdmissions } from '../domain/ports/replicas.ts';
import type { SecretHistory } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { DeliveryTracer } from '../domain/ports/tracing.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { LoopGuardLimit } from '../domain/words/runs.ts';
import { bindServer, type ListenTarget, listen, logInheritedSockets } from '../platform/listen.ts';
import { handleDelivery } from './handle-delivery.ts';
import type { AdoptSecret, IngressContext } from './ingress-context.ts';
import { LIMITS_PER_MINUTE, type LimitsPerMinute, RateLimits } from './limits.ts';
import type { BackfillMarks } from './log/backfill-marks.ts';
import { HandshakeRows, RejectionRows } from './log/capped-rows.ts';
import type { CaptureWindows } from './log/capture-window.ts';
import { DeliveryRecorder } from './log/delivery-recorder.ts';
import { logGuarded } from './log/log-guarded.ts';
import { RateLimitedRows } from './log/rate-limited-rows.ts';
import { UnloggedTally, type UnloggedTallyParts } from './log/unlogged-tally.ts';
import type { UrlProbes } from './log/url-probes.ts';
import { computeMaxConnections, readOpenFileLimit, warnOfLowFileLimit } from './open-file-limit.ts';
import type { IngressRequest } from './reception.ts';
import type { Registry } from './registry/registry.ts';
import { Confirmations } from './steps/confirmations.ts';
import { countMalformed } from './steps/find-webhook.ts';
import { countLostRow } from './steps/reject.ts';
import { VersionTrials } from './steps/version-trials.ts';
import { createIngressServer, type IngressServer } from './transport/http.ts';
import { createProbes } from './transport/probes.ts';
import { BytesInFlight } from './transport/read-body.ts';
import { type ReportedRequest, verifyOriginal } from './verify-original.ts';

/** On a clean stop, requests in progress have this time to be answered. */
const ANSWER_GRACE_MS = 5_000;

export interface IngressParts {
  config: Pick<Config, 'baseUrl' | 'ingress' | 'limits'>;
  storage: Pick<Storage, 'deliveryLog' | 'handshakeLog' | 'unloggedCounts'>;
  registry: Registry;
  secretHistory: SecretHistory;
  adoptSecret: AdoptSecret;
  /** Sockets to listen on instead of the configured address. */
  sockets: readonly number[];
  /** @param url where the first listener listens */
  onListening(url: string): void;
  isReady(): Promise<boolean>;
  findClientAddress: FindClientAddress;
  /** Aborted when a stop has to hurry. */
  hurry: AbortSignal;
  metrics: IngressMetrics & { countUnlogged: UnloggedTallyParts['onCounted'] };
  /** For limits that replicas share; without it, this daemon is alone. */
  admissions?: SharedAdmissions | undefined;
  /** `null` if tracing is off. */
  tracer: DeliveryTracer | null;
  captures: CaptureWindows;
  urlProbes: UrlProbes;
  backfillMarks: BackfillMarks;
  publish: Publish;
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
  /** Opens the public listener. Stops when what is in flight is answered, and what waits is written. */
  part: Part<ConfigChange>;
  recorder: DeliveryRecorder;
  /** Rows of the log that are written when their minute has ended, and counts of unlogged requests. */
  rows: IngressRows;
  /** Reads of the counts, with everything that was counted until now. */
  unloggedCounts: Pick<UnloggedCounts, 'list'>;
  /** Would the webhook accept the signature of this request? */
  verifyOriginal(uid: string, request: ReportedRequest): Promise<boolean>;
}

/** What the ingress collects before it is written. */
export interface IngressRows {
  rejectionRows: RejectionRows;
  rateLimitedRows: RateLimitedRows;
  handshakeRows: HandshakeRows;
  unlogged: UnloggedTally;
}

export function createIngress(parts: IngressParts): Ingress {
  const { storage, registry, logger, publish } = parts;
  const unlogged = createTally(parts);
  const recorder = new DeliveryRecorder(
    storage.deliveryLog,
    (entry, outcome) => {
      logGuarded(logger, registry, entry, outcome);
      publish('deliveryRecorded', { entry, outcome });
    },
    (entry) => countLostRow({ registry, unlogged }, entry),
  );
  const rows = createRows(parts, recorder, unlogged);
  const listeners = { url: '' };
  const context = createContext(parts, { recorder, ...rows }, listeners);
  return {
    part: {
      name: 'ingress',
      ...createListening(parts, context, listeners),
      reload: ({ config }) => setLimits(context, config.limits, parts.admissions),
      on: {
        secretStored: ({ name }) => context.versionTrials.forget(name),
        requestsAdmittedElsewhere: ({ of, counts }) =>
          context.limits.noteElsewhere(of, counts, parts.clock.monotonicMs()),
        probeNoted: (message) => parts.urlProbes.noteElsewhere(message),
      },
    },
    recorder,
    rows,
    unloggedCounts: {
      list: async (of) => {
        await unlogged.flush();
        return storage.unloggedCounts.list(of);
      },
    },
    verifyOriginal: (uid, request) => verifyOriginal(context, uid, request),
  };
}

function createTally({ storage, metrics, clock, logger }: IngressParts): UnloggedTally {
  return new UnloggedTally({
    counts: storage.unloggedCounts,
    clock,
    onCounted: metrics.countUnlogged,
    onFailure: (error) => logger.warn({ problem: messageOf(error) }, 'counts of unlogged requests not stored'),
  });
}

function createRows(
  { storage, ids, clock, logger }: IngressParts,
  recorder: DeliveryRecorder,
  unlogged: UnloggedTally,
): IngressRows {
  return {
    rejectionRows: new RejectionRows((entry) => recorder.note(entry)),
    rateLimitedRows: new RateLimitedRows({ write: (entry) => recorder.note(entry), ids, clock }),
    handshakeRows: new HandshakeRows((entry) => {
      storage.handshakeLog
        .append(entry)
        .catch((error) => logger.warn({ problem: messageOf(error) }, 'handshake not logged'));
    }),
    unlogged,
  };
}

function createContext(
  parts: IngressParts,
  recording: Pick<IngressContext, 'recorder' | keyof IngressRows>,
  listeners: { url: string },
): IngressContext {
  const { config, registry, urlProbes, captures, backfillMarks, adoptSecret, metrics, tracer } = parts;
  return {
    registry,
    limits: new RateLimits(config.limits, parts.admissions),
    ...recording,
    urlProbes,
    captures,
    versionTrials: new VersionTrials(parts.secretHistory, parts.clock),
    confirmations: new Confirmations(),
    backfillMarks,
    adoptSecret,
    metrics,
    tracer,
    clock: parts.clock,
    ids: parts.ids,
    maxBodyBytes: config.limits.bodyBytes,
    loopGuard: readLoopGuard(config.limits),
    baseUrl: () => config.baseUrl ?? listeners.url,
    publish: parts.publish,
    logger: parts.logger,
  };
}

/** From now on applies these limits. The counts of the last minute start again if a limit has changed. */
function setLimits(context: IngressContext, limits: IngressLimits, admissions: SharedAdmissions | undefined): void {
  const { perMinute } = context.limits;
  const isSame = LIMITS_PER_MINUTE.every((limit) => limits[limit] === perMinute[limit]);
  if (!isSame) context.limits = new RateLimits(limits, admissions);
  context.maxBodyBytes = limits.bodyBytes;
  context.loopGuard = readLoopGuard(limits);
}

function readLoopGuard({ loopGuardRuns, loopGuardWindowMs }: IngressLimits): LoopGuardLimit {
  return { runs: loopGuardRuns, windowMs: loopGuardWindowMs };
}

function createListening(
  parts: IngressParts,
  context: IngressContext,
  listeners: { url: string },
): Required<Pick<Part, 'start' | 'stop'>> {
  const { config, sockets, clock, logger } = parts;
  const openFileLimit = readOpenFileLimit();
  const targets: ListenTarget[] = sockets.length > 0 ? sockets.map((fd) => ({ fd })) : [config.ingress];
  const serverParts = {
    handle: (request: IngressRequest) => handleDelivery(context, request),
    onMalformed: (path: string) => countMalformed(context, path),
    answerProbe: createProbes({ isReady: parts.isReady, monotonicMs: () => clock.monotonicMs() }),
    findClientAddress: parts.findClientAddress,
    inFlight: new BytesInFlight(),
    hurry: parts.hurry,
    bounds: { maxConnections: Math.ceil(computeMaxConnections(openFileLimit) / targets.length) },
  };
  const servers = targets.map(() => createIngressServer(serverParts));
  return {
    start: async () => {
      warnOfLowFileLimit(openFileLimit, logger);
      // Known before the first request can ask for it: nothing is answered until it listens.
      const urls = await listenOnAll(targets, servers);
      listeners.url = urls[0]!;
      parts.onListening(listeners.url);
      if (sockets.length > 0) logInheritedSockets('ingress', config.ingress, urls, logger);
    },
    stop: async () => {
      // The next daemon continues with these sockets, so that a longer stop delays no delivery.
      if (sockets.length > 0) await Promise.all(servers.map((server) => server.retire()));
      await Promise.all(servers.map((server) => server.close(ANSWER_GRACE_MS)));
      await writeRest(context);
    },
  };
}

/** What was collected is written, in the order in which one thing can add to the other. */
async function writeRest(context: IngressContext): Promise<void> {
  const nowMs = context.clock.monotonicMs();
  await context.confirmations.stop();
  await context.versionTrials.drain();
  context.rejectionRows.flush(nowMs, true);
  context.rateLimitedRows.flush(true);
  context.handshakeRows.flush(nowMs, true);
  await context.recorder.drain();
  await context.unlogged.flush();
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
