import type { ExecutionRequest } from '../../../domain/ports/executor.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { traceAttempt } from '../../../domain/telemetry/trace-context.ts';
import { formatInstant } from '../../../domain/time/clock.ts';

/** The same for each request of an attempt, and another one for the next attempt. */
export function nameAttempt({ id, attempt }: Run): string {
  return `${id}-${attempt}`;
}

/** How and until when the receiver reports, for `mode: async`. */
export interface ReportFields {
  url: string;
  token: string;
  /** The fencing number of the reports. */
  fence: number;
  deadline: string;
}

/** The `type` of the notification that an attempt was cancelled. Requests to execute a run have no `type`. */
const CANCELLED = 'run.cancelled';

/** The ID of the notification that an attempt was cancelled. */
export function nameCancellation(run: Run): string {
  return `${nameAttempt(run)}-cancelled`;
}

/** The body of the notification, as Standard Webhooks recommends it. */
export function composeCancellation(run: Run, nowMs: number): Buffer {
  const { id, attempt, factory, automation } = run;
  const data = { run: id, attempt, factory, automation };
  return Buffer.from(JSON.stringify({ type: CANCELLED, timestamp: formatInstant(nowMs), data }));
}

/**
 * The headers of a request, without its signature.
 *
 * @param key the idempotency key of the request
 */
export function composeHeaders(run: Run, userAgent: string, key = nameAttempt(run)): Record<string, string> {
  const trace = traceAttempt(run);
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'Idempotency-Key': key,
    ...(trace === null ? {} : { traceparent: trace.traceparent }),
    ...(trace?.tracestate ? { tracestate: trace.tracestate } : {}),
  };
}

/**
 * The body of a request: `run.json` with the prompt, the envelope and the payload. A payload that is JSON is its value,
 * byte for byte, so that no number changes. Any other payload is in `payload_base64`.
 */
export function composeBody({ input, documents }: ExecutionRequest, report: ReportFields | null): Buffer {
  const { prompt } = input;
  const base = { ...JSON.parse(documents.runFile), prompt, envelope: documents.envelope };
  const record = report === null ? base : { ...base, report };
  const payload = Buffer.from(input.payload);
  if (!isJson(payload)) {
    return Buffer.from(JSON.stringify({ ...record, payload: null, payload_base64: payload.toString('base64') }));
  }
  const start = JSON.stringify(record).slice(0, -1);
  return Buffer.concat([Buffer.from(`${start},"payload":`), payload, Buffer.from('}')]);
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}
