import { describe, expect, it } from 'vitest';
import { computeAttemptSpanId, readTraceContext, storeTraceContext, traceAttempt } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const RUN = { id: 'run_01m7yj32yre0ypze8bxjzjg667', attempt: 1, traceContext: PARENT } as const;

describe('a trace context', () => {
  it('is stored and read with and without trace state', () => {
    for (const tracestate of [null, 'a=1,b@c=2 3']) {
      const context = { traceparent: PARENT, tracestate };
      expect(readTraceContext(storeTraceContext(context))).toEqual(context);
    }
  });
});

describe('the trace context of an attempt', () => {
  it('is a span in the trace of the delivery, with its flags and its trace state', () => {
    expect(traceAttempt({ ...RUN, traceContext: `${PARENT} a=1` })).toEqual({
      traceparent: `00-${TRACE}-${computeAttemptSpanId(RUN)}-01`,
      tracestate: 'a=1',
    });
    expect(computeAttemptSpanId(RUN)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is the same each time, and another one for each attempt', () => {
    expect(traceAttempt(RUN)).toEqual(traceAttempt(RUN));
    expect(traceAttempt({ ...RUN, attempt: 2 })).not.toEqual(traceAttempt(RUN));
  });

  it('does not exist if the delivery was not traced', () => {
    expect(traceAttempt({ ...RUN, traceContext: null })).toBeNull();
  });
});
