import type { DeliveryId, WebhookUid } from '../../domain/ids.ts';
import type { CapturedRequest, CaptureState, LocalCaptures, OpenCapture } from '../../domain/ports/delivery-control.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { type CancelCall, type Schedule, scheduleCall } from '../../domain/time/schedule.ts';

const MAX_REQUESTS = 20;
const MAX_BYTES = 1_048_576;

/**
 * The maximum size of the header fields of a request (Node's limit). Every request counts with this size, because
 * header fields are not measured.
 */
const HEADER_BYTES = 16_384;

interface Window {
  /** On the monotonic clock. */
  endsAtMs: number;
  /** Wall time. */
  until: number;
  requests: CapturedRequest[];
  bytes: number;
  cancelEnd: CancelCall;
}

/**
 * Rejected requests of webhooks with an open capture window. They contain credentials and unverified bodies, so they
 * are only in memory and never in the database or a backup. A restart or the end of the window deletes them. New
 * requests replace the oldest, so that the window contains the attempt that the user just made.
 */
export class CaptureWindows implements LocalCaptures {
  readonly #windows = new Map<WebhookUid, Window>();
  readonly #clock: Clock;
  readonly #schedule: Schedule;

  constructor(clock: Clock, schedule: Schedule = scheduleCall) {
    this.#clock = clock;
    this.#schedule = schedule;
  }

  open(webhook: WebhookUid, forMs: number): CaptureState {
    const open = this.#find(webhook);
    open?.cancelEnd();
    const window: Window = {
      endsAtMs: this.#clock.monotonicMs() + forMs,
      until: this.#clock.wallMs() + forMs,
      requests: open?.requests ?? [],
      bytes: open?.bytes ?? 0,
      cancelEnd: this.#schedule(forMs, () => this.close(webhook)),
    };
    this.#windows.set(webhook, window);
    return { until: window.until, kept: window.requests.length };
  }

  close(webhook: WebhookUid): void {
    this.#windows.get(webhook)?.cancelEnd();
    this.#windows.delete(webhook);
  }

  state(webhook: WebhookUid): CaptureState | null {
    const window = this.#find(webhook);
    return window === undefined ? null : { until: window.until, kept: window.requests.length };
  }

  listOpen(): OpenCapture[] {
    const nowMs = this.#clock.monotonicMs();
    return Array.from(this.#windows, ([webhook, { endsAtMs, requests }]) => ({
      webhook,
      forMs: endsAtMs - nowMs,
      deliveries: requests.map(({ delivery }) => delivery),
    })).filter(({ forMs }) => forMs > 0);
  }

  /** Whether a window is open for this webhook. Fast, because every rejection calls it. */
  isOpen(webhook: WebhookUid): boolean {
    return this.#windows.size > 0 && this.#find(webhook) !== undefined;
  }

  /** Adds a request to the open window of its webhook. A full window drops its oldest requests. */
  keep(webhook: WebhookUid, request: CapturedRequest): void {
    const window = this.#find(webhook);
    if (window === undefined || sizeOf(request) > MAX_BYTES) return;
    window.requests.push(request);
    window.bytes += sizeOf(request);
    while (window.requests.length > MAX_REQUESTS || window.bytes > MAX_BYTES) {
      window.bytes -= sizeOf(window.requests.shift()!);
    }
  }

  find(webhook: WebhookUid, delivery: DeliveryId): CapturedRequest | null {
    return this.#find(webhook)?.requests.find((request) => request.delivery === delivery) ?? null;
  }

  /** Checks the clock, because the timer may fire late. */
  #find(webhook: WebhookUid): Window | undefined {
    const window = this.#windows.get(webhook);
    if (window === undefined || this.#clock.monotonicMs() < window.endsAtMs) return window;
    this.close(webhook);
    return undefined;
  }
}

function sizeOf({ body }: CapturedRequest): number {
  return body.length + HEADER_BYTES;
}
