import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import {
  readTraceContext,
  type StoredTraceContext,
  storeTraceContext,
} from '../../../domain/telemetry/trace-context.ts';

/** A longer header is not a trace context: 55 characters are one of version 00, and later versions may add some. */
const MAX_TRACEPARENT = 200;
/** The longest text that every vendor has to pass on (W3C Trace Context, 3.3.1.5). A longer one is discarded. */
const MAX_TRACESTATE = 512;

const propagator = new W3CTraceContextPropagator();

const FROM_REQUEST: TextMapGetter<RequestHeaders> = {
  keys: () => [],
  get: (headers, name) => {
    const value = headers.get(name);
    const limit = name === 'traceparent' ? MAX_TRACEPARENT : MAX_TRACESTATE;
    return value === undefined || value.length > limit ? undefined : value;
  },
};

/** The trace of the sender, or none if its headers are missing or invalid. */
export function continueFrom(headers: RequestHeaders): Context {
  return propagator.extract(ROOT_CONTEXT, headers, FROM_REQUEST);
}

export function continueStored(stored: StoredTraceContext): Context {
  const { traceparent, tracestate } = readTraceContext(stored);
  const carrier = tracestate === null ? { traceparent } : { traceparent, tracestate };
  return propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

export function contextOf(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

export function storeContextOf(span: Span): StoredTraceContext {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  propagator.inject(contextOf(span), carrier, defaultTextMapSetter);
  return storeTraceContext({ traceparent: carrier.traceparent!, tracestate: carrier.tracestate || null });
}
