import { type Attributes, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import { ATTR_PROCESS_EXIT_CODE } from '@opentelemetry/semantic-conventions/incubating';
import type { RunObserver } from '../../../domain/ports/run-control.ts';
import type { Run, RunResult } from '../../../domain/resources/run.ts';
import { computeAttemptSpanId } from '../../../domain/telemetry/trace-context.ts';
import { continueStored } from './propagation.ts';
import type { SpanIds } from './span-ids.ts';

/** Errors of runs that are codes. Others are sentences, which can contain output of the command. */
const ERROR_CODES: ReadonlySet<string> = new Set(['timeout', 'interrupted']);

/** Exports the attempts of runs whose delivery was traced, when they end. */
export function createRunTracer(tracer: Tracer, ids: SpanIds): RunObserver {
  return {
    onClaimed: (run, queuedAt) => {
      if (run.traceContext === null || run.startedAt === null) return;
      const options = { startTime: Math.min(queuedAt, run.startedAt), attributes: describeAttempt(run) };
      tracer.startSpan('queue', options, continueStored(run.traceContext)).end(run.startedAt);
    },
    onEnded: (run, result, at) => {
      const { traceContext, startedAt } = run;
      if (traceContext === null || startedAt === null) return;
      const options = { startTime: startedAt, attributes: describeAttempt(run) };
      const span = ids.use(computeAttemptSpanId(run), () =>
        tracer.startSpan('execute', options, continueStored(traceContext)),
      );
      span.setAttributes({
        'dockbell.run.state': result.state,
        [ATTR_PROCESS_EXIT_CODE]: result.exitCode ?? undefined,
      });
      if (result.state === 'failed') {
        span.setAttribute(ATTR_ERROR_TYPE, nameError(result));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(Math.max(at, startedAt));
    },
  };
}

function describeAttempt({ id, attempt, factory, automation, delivery, executor }: Run): Attributes {
  return {
    'dockbell.factory': factory,
    'dockbell.automation': automation,
    'dockbell.run.id': id,
    'dockbell.run.attempt': attempt,
    'dockbell.run.executor': executor ?? undefined,
    'dockbell.delivery.id': delivery,
  };
}

function nameError({ error, exitCode }: RunResult): string {
  if (error !== null && ERROR_CODES.has(error)) return error;
  return exitCode === null ? '_OTHER' : 'exit_code';
}
