import { type Link, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import { ATTR_VCS_REF_HEAD_REVISION } from '@opentelemetry/semantic-conventions/incubating';
import type { OnTimedPass } from '../../../domain/ports/tracing.ts';
import type { StoredTraceContext } from '../../../domain/telemetry/trace-context.ts';
import { contextOf, continueStored } from './propagation.ts';

/** Exports the passes of the reconciliation loop, except those that found nothing new. */
export function createPassTracer(tracer: Tracer): OnTimedPass {
  return ({ id, factory, result, reason, revision, startedAt, durationMs, steps, pushes }) => {
    if (result === 'unchanged') return;
    const attributes = {
      'dockbell.factory': factory,
      'dockbell.reconciliation.id': id,
      'dockbell.reconciliation.result': result,
      'dockbell.reconciliation.reason': reason,
      [ATTR_VCS_REF_HEAD_REVISION]: revision ?? undefined,
    };
    // Links, as for a batch of messages: a pass can have several causes, and outlives their requests.
    const links = pushes.flatMap(linkTo);
    const span = tracer.startSpan('reconcile', { startTime: startedAt, attributes, links }, ROOT_CONTEXT);
    const isError = result !== 'applied';
    for (const [index, { name, fromMs, untilMs }] of steps.entries()) {
      const step = tracer.startSpan(name, { startTime: startedAt + fromMs }, contextOf(span));
      // The last step is the one that failed.
      if (isError && index === steps.length - 1) fail(step, reason);
      step.end(startedAt + untilMs);
    }
    if (isError) fail(span, reason);
    span.end(startedAt + durationMs);
  };
}

function linkTo(stored: StoredTraceContext): Link[] {
  const context = trace.getSpanContext(continueStored(stored));
  return context === undefined ? [] : [{ context }];
}

function fail(span: ReturnType<Tracer['startSpan']>, reason: string): void {
  span.setAttribute(ATTR_ERROR_TYPE, reason);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
