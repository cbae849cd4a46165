import { randomUUID } from 'node:crypto';
import type { Config } from '../../../config/config.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { RunObserver } from '../../../domain/ports/run-control.ts';
import type { Environment } from '../../../domain/runs/reserved-variables.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Tracing } from './start-tracing.ts';

export interface OpenTracingParts {
  config: Pick<Config, 'telemetry'>;
  env: Environment;
  metrics: Pick<Metrics, 'countSpans'>;
  version: string;
  logger: Logger;
}

/** Starts tracing if the configuration names a receiver; otherwise its code is not even loaded. */
export async function openTracing(parts: OpenTracingParts): Promise<Tracing | null> {
  const { otlpEndpoint, samplePercent } = parts.config.telemetry;
  if (otlpEndpoint === null) return null;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing({
    endpoint: otlpEndpoint,
    samplePercent,
    serviceName: parts.env.OTEL_SERVICE_NAME || 'dockbell',
    version: parts.version,
    instanceId: randomUUID(),
    countSpans: parts.metrics.countSpans,
    clock: systemClock,
    logger: parts.logger,
  });
}

export function observeAll(observers: readonly RunObserver[]): RunObserver {
  return {
    onClaimed: (run, queuedAt) => {
      for (const observer of observers) observer.onClaimed(run, queuedAt);
    },
    onEnded: (run, result, at) => {
      for (const observer of observers) observer.onEnded(run, result, at);
    },
  };
}
