import type { DeliveryId, WebhookUid } from '../../core/ids.ts';
import type { CaptureControl, CaptureState } from '../../core/ports/deliveries/capture-control.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type CancelCall, type Schedule, scheduleCall } from '../../core/time/schedule.ts';

/** A rejected request with all that its diagnosis needs, credentials included. */
export interface CapturedRequest {
  delivery: DeliveryId;
  /** Name, value, name, value; values are one character for each byte. */
  rawHeaders: readonly string[];
  body: Uint8Array;
  /** The URL as its sender should know it, with the query that came. */
  publicUrl: string;
  /** Wall time in milliseconds. */
  receivedAt: number;
}

const MAX_REQUESTS = 20;
const MAX_BYTES = 1_048_576;

/** What the header fields of a request can hold at most (Node's limit); counted whole, since they are not measured. */
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
 * Rejected requests of webhooks whose owner asked for it, for the time asked for. They hold credentials and unverified
 * bodies, so they live in memory alone: a backup, a crash dump of the database or a later reader never meets them, and
 * a restart or the end of the window drops them. The newest win, so that a sender that is tried now is there.
 */
export class CaptureWindows implements CaptureControl {
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

  /** Is there a window for this webhook? One look-up in a map that is nearly always empty. */
  isOpen(webhook: WebhookUid): boolean {
    return this.#windows.size > 0 && this.#find(webhook) !== undefined;
  }

  /** Keeps a request in the open window of its webhook. A full window drops the oldest ones. */
  keep(webhook: WebhookUid, request: CapturedRequest): void {
    const window = this.#find(webhook);
    if (window === undefined || sizeOf(request) > MAX_BYTES) return;
    window.requests.push(request);
    window.bytes += sizeOf(request);
    while (window.requests.length > MAX_REQUESTS || window.bytes > MAX_BYTES) {
      window.bytes -= sizeOf(window.requests.shift()!);
    }
  }

  /** The request of that delivery; `null` if it was not kept, or was dropped. */
  find(webhook: WebhookUid, delivery: DeliveryId): CapturedRequest | null {
    return this.#find(webhook)?.requests.find((request) => request.delivery === delivery) ?? null;
  }

  /** The timer may come late, the clock does not. */
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
