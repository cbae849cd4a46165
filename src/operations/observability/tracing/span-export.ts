import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { SpanOutcome } from '../../../domain/ports/tracing.ts';

/** Spans that wait for the export or are in it. Further ones are dropped, so that a slow collector costs no memory. */
const MAX_WAITING = 8_192;
const BATCH_SIZE = 512;
const BATCH_DELAY_MS = 1_000;

interface SpanExportParts {
  exporter: SpanExporter;
  countSpans(outcome: SpanOutcome, count: number): void;
  logger: Logger;
}

/** Exports spans in batches, and counts the outcome of each of them. */
export function createSpanExport(parts: SpanExportParts): SpanProcessor {
  let waiting = 0;
  const exporter = countExports(parts, (count) => {
    waiting -= count;
  });
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: BATCH_SIZE,
    scheduledDelayMillis: BATCH_DELAY_MS,
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd: (span) => {
      if (waiting >= MAX_WAITING) return parts.countSpans('dropped', 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** Logs the first failure and the first success after it, not each batch. */
function countExports(
  { exporter, countSpans, logger }: SpanExportParts,
  onDone: (count: number) => void,
): SpanExporter {
  let isFailing = false;
  const finish = (spans: readonly ReadableSpan[], { code, error }: ExportResult) => {
    onDone(spans.length);
    const isOk = code === ExportResultCode.SUCCESS;
    countSpans(isOk ? 'exported' : 'failed', spans.length);
    if (isOk && isFailing) logger.info({}, 'span export works again');
    if (!isOk && !isFailing) logger.warn({ problem: error?.message }, 'span export failed');
    isFailing = !isOk;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        finish(spans, result);
        // The failure is reported above. The batches would report it again, to the console.
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
