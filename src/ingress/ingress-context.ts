import type { Publish } from '../domain/happenings.ts';
import type { IdSource } from '../domain/ids.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { IngressMetrics } from '../domain/ports/metrics.ts';
import type { DeliveryTracer } from '../domain/ports/tracing.ts';
import type { SecretValue } from '../domain/secrets/secret-value.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { LoopGuardLimit } from '../domain/words/runs.ts';
import type { RateLimits } from './limits.ts';
import type { BackfillMarks } from './log/backfill-marks.ts';
import type { HandshakeRows, RejectionRows } from './log/capped-rows.ts';
import type { CaptureWindows } from './log/capture-window.ts';
import type { DeliveryRecorder } from './log/delivery-recorder.ts';
import type { RateLimitedRows } from './log/rate-limited-rows.ts';
import type { UnloggedTally } from './log/unlogged-tally.ts';
import type { UrlProbes } from './log/url-probes.ts';
import type { Reception } from './reception.ts';
import type { LiveWebhook } from './registry/live-webhook.ts';
import type { Registry } from './registry/registry.ts';
import type { Confirmations } from './steps/confirmations.ts';
import type { VersionTrials } from './steps/version-trials.ts';
import type { IngressAnswer } from './transport/answers.ts';

/**
 * Stores the secret that a sender supplies as the webhook's secret, on disk and live, or returns why it does not.
 * Rejects if the secret could not be stored.
 */
export type AdoptSecret = (
  webhook: Pick<LiveWebhook, 'factory' | 'uid'>,
  secret: SecretValue,
) => Promise<{ ok: true } | { ok: false; detail: string }>;

/** The dependencies of the steps. */
export interface IngressContext {
  registry: Registry;
  limits: RateLimits;
  recorder: DeliveryRecorder;
  rejectionRows: RejectionRows;
  rateLimitedRows: RateLimitedRows;
  unlogged: UnloggedTally;
  urlProbes: UrlProbes;
  captures: CaptureWindows;
  versionTrials: VersionTrials;
  handshakeRows: HandshakeRows;
  confirmations: Confirmations;
  backfillMarks: BackfillMarks;
  adoptSecret: AdoptSecret;
  metrics: IngressMetrics;
  /** `null` if tracing is off. */
  tracer: DeliveryTracer | null;
  clock: Clock;
  ids: IdSource;
  maxBodyBytes: number;
  /** The limit of the loop guard. */
  loopGuard: LoopGuardLimit;
  /** Public URL of the ingress, without a trailing slash. Some senders sign it. */
  baseUrl(): string;
  publish: Publish;
  logger: Logger;
}

/** How a request ends: with an answer, or without one because the sender disconnected. */
export type Outcome = IngressAnswer | typeof DISCONNECTED;

/** The sender has closed the connection, so no answer can be sent. */
export const DISCONNECTED = 'disconnected';

/** One step of a delivery. `null` passes the request to the next step. An outcome ends it. */
export type Step = (context: IngressContext, reception: Reception) => Promise<Outcome | null> | Outcome | null;
