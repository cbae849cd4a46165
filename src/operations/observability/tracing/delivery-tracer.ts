import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
} from '@opentelemetry/semantic-conventions';
import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import type { DeliveryId } from '../../../domain/ids.ts';
import type { DeliveryTrace, DeliveryTracer, ReplayTrace, TracedWebhook } from '../../../domain/ports/tracing.ts';
import type { DeliveryLabel } from '../../../domain/resources/delivery.ts';
import type { StoredTraceContext } from '../../../domain/telemetry/trace-context.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { contextOf, continueFrom, storeContextOf } from './propagation.ts';

/** The route of every webhook. The path of a request is not recorded: it can contain a token. */
const ROUTE = '/webhooks/w/{uid}';

export function createDeliveryTracer(tracer: Tracer, clock: Clock): DeliveryTracer {
  return {
    begin: (webhook, startedAt) => new RequestTrace(tracer, clock, webhook, startedAt),
    beginReplay: (webhook) => beginReplay(tracer, webhook),
  };
}

/** Times are on the monotonic clock until the span exists, so that a step of the wall clock does not change durations. */
class RequestTrace implements DeliveryTrace {
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  readonly #webhook: TracedWebhook;
  readonly #startedAt: number;
  /** What to add to a monotonic time to get wall time. */
  readonly #toWall: number;
  #partSince: number;
  #span: Span | null = null;
  #context: Context = ROOT_CONTEXT;

  constructor(tracer: Tracer, clock: Clock, webhook: TracedWebhook, startedAt: number) {
    this.#tracer = tracer;
    this.#clock = clock;
    this.#webhook = webhook;
    this.#startedAt = startedAt;
    this.#partSince = startedAt;
    this.#toWall = clock.wallMs() - clock.monotonicMs();
  }

  skip(): void {
    this.#partSince = this.#clock.monotonicMs();
  }

  admit(headers: RequestHeaders): void {
    const startTime = this.#startedAt + this.#toWall;
    const attributes = { ...describeWebhook(this.#webhook), [ATTR_HTTP_ROUTE]: ROUTE };
    this.#span = this.#tracer.startSpan(
      'receive',
      { kind: SpanKind.SERVER, startTime, attributes },
      continueFrom(headers),
    );
    this.#context = contextOf(this.#span);
    this.#endPart('verify');
  }

  endMatch(startedRuns: number): void {
    this.#endPart('match', { 'dockbell.runs.started': startedRuns });
  }

  endRecord(delivery: DeliveryId, label: DeliveryLabel | null): void {
    const attributes: Attributes = { 'dockbell.delivery.id': delivery, 'dockbell.delivery.label': label ?? undefined };
    this.#span?.setAttributes(attributes);
    this.#endPart('record', attributes);
  }

  contextOfRuns(): StoredTraceContext | undefined {
    return this.#span === null ? undefined : storeContextOf(this.#span);
  }

  end(method: string, status: number | null): void {
    const span = this.#span;
    if (span === null) return;
    span.setAttribute(ATTR_HTTP_REQUEST_METHOD, method);
    if (status !== null) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
    if (status === null || status >= 500) {
      span.setAttribute(ATTR_ERROR_TYPE, status === null ? 'disconnected' : String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(this.#clock.monotonicMs() + this.#toWall);
  }

  #endPart(name: string, attributes: Attributes = {}): void {
    const from = this.#partSince;
    this.skip();
    if (this.#span === null || !this.#span.isRecording()) return;
    const part = this.#tracer.startSpan(name, { startTime: from + this.#toWall, attributes }, this.#context);
    part.end(this.#partSince + this.#toWall);
  }
}

function beginReplay(tracer: Tracer, webhook: TracedWebhook): ReplayTrace {
  const span = tracer.startSpan('replay', { attributes: describeWebhook(webhook) }, ROOT_CONTEXT);
  return {
    contextOfRuns: () => storeContextOf(span),
    end: (delivery, of) => {
      span.setAttributes({ 'dockbell.delivery.id': delivery, 'dockbell.delivery.replay_of': of });
      span.end();
    },
  };
}

function describeWebhook({ uid, factory, name }: TracedWebhook): Attributes {
  return { 'dockbell.factory': factory, 'dockbell.webhook': name, 'dockbell.webhook.uid': uid };
}
