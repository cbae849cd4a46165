import type { DeliveryTracer, ReplayTrace } from '../../domain/ports/tracing.ts';
import type { NewRun } from '../../domain/resources/delivery.ts';
import type { DeliverySource } from '../registry/registry.ts';

/** Begins the trace of a replay, which its runs continue. `null` if tracing is off. */
export function traceReplay(
  tracer: DeliveryTracer | null,
  webhook: DeliverySource,
  runs: readonly NewRun[],
): ReplayTrace | null {
  if (tracer === null) return null;
  const trace = tracer.beginReplay(webhook);
  for (const run of runs) run.traceContext = trace.contextOfRuns();
  return trace;
}
