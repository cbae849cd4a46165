import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import { ATTR_SERVICE_INSTANCE_ID } from '@opentelemetry/semantic-conventions/incubating';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { RunObserver } from '../../../domain/ports/run-control.ts';
import type { DeliveryTracer, OnTimedPass, SpanOutcome } from '../../../domain/ports/tracing.ts';
import { pause } from '../../../domain/time/backoff.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { createDeliveryTracer } from './delivery-tracer.ts';
import { createPassTracer } from './pass-tracer.ts';
import { createRunTracer } from './run-tracer.ts';
import { createSpanExport } from './span-export.ts';
import { SpanIds } from './span-ids.ts';

/** A stop waits this time for the last export. */
const LAST_EXPORT_MS = 2_000;

export interface TracingParts {
  /** Base URL of an OTLP receiver, without `/v1/traces`. */
  endpoint: string;
  /** Share of the traces that Dockbell starts itself, in percent. */
  samplePercent: number;
  serviceName: string;
  version: string;
  instanceId: string;
  countSpans(outcome: SpanOutcome, count: number): void;
  clock: Clock;
  logger: Logger;
}

/** Traces of deliveries, runs and reconciliations, exported over OTLP. */
export interface Tracing {
  deliveries: DeliveryTracer;
  runs: RunObserver;
  onTimedPass: OnTimedPass;
  /**
   * Exports what waits, for a limited time.
   *
   * @param hurry ends the wait when it aborts
   */
  stop(hurry: AbortSignal): Promise<void>;
}

/** This module and its libraries are loaded only if tracing is on. */
export function startTracing(parts: TracingParts): Tracing {
  const { endpoint, samplePercent, version, clock } = parts;
  const ids = new SpanIds();
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplePercent / 100) }),
    idGenerator: ids,
    resource: resourceFromAttributes({
      [ATTR_SERVICE_NAME]: parts.serviceName,
      [ATTR_SERVICE_VERSION]: version,
      [ATTR_SERVICE_INSTANCE_ID]: parts.instanceId,
    }),
    spanProcessors: [createSpanExport({ exporter, countSpans: parts.countSpans, logger: parts.logger })],
  });
  const tracer = provider.getTracer('dockbell', version);
  return {
    deliveries: createDeliveryTracer(tracer, clock),
    runs: createRunTracer(tracer, ids),
    onTimedPass: createPassTracer(tracer),
    stop: async (hurry) => {
      const waited = new AbortController();
      const ended = AbortSignal.any([hurry, waited.signal]);
      await Promise.race([provider.shutdown().catch(() => {}), pause(LAST_EXPORT_MS, ended)]);
      waited.abort();
    },
  };
}
