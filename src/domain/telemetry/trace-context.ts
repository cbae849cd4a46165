import { createHash } from 'node:crypto';
import type { RunId } from '../ids.ts';

/** The place of a span in a trace, as the headers of W3C Trace Context transport it. */
interface TraceContext {
  traceparent: string;
  /** `null` for none. */
  tracestate: string | null;
}

/** A trace context as the storage keeps it: both headers, separated by a space. */
export type StoredTraceContext = string;

export function storeTraceContext({ traceparent, tracestate }: TraceContext): StoredTraceContext {
  return tracestate === null ? traceparent : `${traceparent} ${tracestate}`;
}

export function readTraceContext(stored: StoredTraceContext): TraceContext {
  const space = stored.indexOf(' ');
  if (space === -1) return { traceparent: stored, tracestate: null };
  return { traceparent: stored.slice(0, space), tracestate: stored.slice(space + 1) };
}

/** Identifies one attempt of a run. */
interface Attempt {
  id: RunId;
  attempt: number;
  /** Of the delivery that started the run; `null` if it was not traced. */
  traceContext: StoredTraceContext | null;
}

/**
 * The span ID of an attempt. It follows from the run, so the daemon that ends the attempt exports the span whose ID the
 * command got, also after a restart.
 */
export function computeAttemptSpanId({ id, attempt }: Pick<Attempt, 'id' | 'attempt'>): string {
  const spanId = createHash('sha256').update(`${id}/${attempt}`).digest('hex').slice(0, 16);
  // The only value that is not an ID.
  return spanId === '0'.repeat(16) ? `${'0'.repeat(15)}1` : spanId;
}

/** What an attempt passes on to the programs that it starts; `null` if its delivery was not traced. */
export function traceAttempt(run: Attempt): TraceContext | null {
  if (run.traceContext === null) return null;
  const { traceparent, tracestate } = readTraceContext(run.traceContext);
  const [version, traceId, , flags] = traceparent.split('-');
  return { traceparent: [version, traceId, computeAttemptSpanId(run), flags].join('-'), tracestate };
}
