import type { ReconciliationResult } from '../applies/reconciliation.ts';
import type { RequestHeaders } from '../deliveries/headers.ts';
import type { DeliveryId, ReconciliationId } from '../ids.ts';
import type { DeliveryLabel } from '../resources/delivery.ts';
import type { StoredTraceContext } from '../telemetry/trace-context.ts';

/** A webhook as spans name it. */
export interface TracedWebhook {
  uid: string;
  factory: string;
  name: string;
}

/** Follows the deliveries of the ingress. */
export interface DeliveryTracer {
  /** @param startedAt on the monotonic clock, in milliseconds */
  begin(webhook: TracedWebhook, startedAt: number): DeliveryTrace;
  /** A new trace for a delivery that no sender sent: a replay. */
  beginReplay(webhook: TracedWebhook): ReplayTrace;
}

/**
 * The trace of one request. Nothing is exported unless the request was admitted: unauthenticated clients must not fill the collector, and
 * their trace is not continued. Each part lasts from the end of the part before it.
 */
export interface DeliveryTrace {
  /** Ends a part that has no span. */
  skip(): void;
  /** Ends the verification: the sender is authenticated and within its rate. Continues the trace in these headers. */
  admit(headers: RequestHeaders): void;
  /** Ends the evaluation of the automations. */
  endMatch(startedRuns: number): void;
  /** Ends the storing. */
  endRecord(delivery: DeliveryId, label: DeliveryLabel | null): void;
  /** For the runs and the reconciliation that the delivery starts. */
  contextOfRuns(): StoredTraceContext | undefined;
  /** @param status of the answer; `null` if the sender disconnected */
  end(method: string, status: number | null): void;
}

export interface ReplayTrace {
  /** For the runs that the replay starts. */
  contextOfRuns(): StoredTraceContext | undefined;
  end(delivery: DeliveryId, of: DeliveryId): void;
}

/** The steps of a pass that are measured. */
export type PassStepName = 'fetch' | 'validate' | 'plan' | 'apply';

/** A pass of the reconciliation loop with its steps. */
export interface TimedPass {
  id: ReconciliationId;
  factory: string;
  result: ReconciliationResult;
  /** Reason code. */
  reason: string;
  revision: string | null;
  /** Wall time in milliseconds. */
  startedAt: number;
  durationMs: number;
  /** In milliseconds after the start. */
  steps: { name: PassStepName; fromMs: number; untilMs: number }[];
  /** The traces of deliveries that reported the pushes. */
  pushes: readonly StoredTraceContext[];
}

/** Called at the end of each pass. */
export type OnTimedPass = (pass: TimedPass) => void;

/** Outcome of spans: `dropped` if too many waited for the export. */
export const SPAN_OUTCOMES = ['exported', 'failed', 'dropped'] as const;
export type SpanOutcome = (typeof SPAN_OUTCOMES)[number];
