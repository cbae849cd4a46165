import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../../test/helpers/command-runs.ts';
import type { SpanOutcome } from '../../../domain/ports/tracing.ts';
import { createSpanExport } from './span-export.ts';

/** Spans that may wait. */
const LIMIT = 8_192;

describe('the export of spans', () => {
  let counts: Record<SpanOutcome, number>;
  let pending: { spans: ReadableSpan[]; done(result: ExportResult): void }[];

  const open = () => {
    const exporter = {
      export: (spans: ReadableSpan[], done: (result: ExportResult) => void) => void pending.push({ spans, done }),
      shutdown: async () => {},
    };
    const countSpans = (outcome: SpanOutcome, count: number) => {
      counts[outcome] += count;
    };
    const provider = new TracerProvider({
      spanProcessors: [createSpanExport({ exporter, countSpans, logger: silentLogger })],
    });
    const tracer = provider.getTracer('test');
    return (count: number) => {
      for (let made = 0; made < count; made += 1) tracer.startSpan('a').end();
    };
  };
  /** Ends the exports that are in progress. */
  const settle = async (code: ExportResultCode) => {
    for (const { done } of pending.splice(0)) done({ code });
    await vi.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    counts = { exported: 0, failed: 0, dropped: 0 };
    pending = [];
  });
  afterEach(() => vi.useRealTimers());

  it('sends spans together after a moment, and counts them', async () => {
    const make = open();
    make(3);
    expect(pending).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pending.map(({ spans }) => spans.length)).toEqual([3]);
    await settle(ExportResultCode.SUCCESS);
    expect(counts).toEqual({ exported: 3, failed: 0, dropped: 0 });
  });

  it('drops spans while too many wait for a collector that does not answer, and takes new ones later', async () => {
    const make = open();
    make(LIMIT + 10);
    expect(counts.dropped).toBe(10);
    await settle(ExportResultCode.FAILED);
    expect(counts.failed).toBe(512);
    make(1);
    expect(counts.dropped).toBe(10);
  });
});
