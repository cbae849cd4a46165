import type { DeliveryId, WebhookUid } from '../../ids.ts';
import type { DiagnoseDelivery } from './delivery-diagnosis.ts';

/** An open capture window of a webhook. */
export interface CaptureState {
  /** Wall time in milliseconds at which the window ends and the captured requests are deleted. */
  until: number;
  /** Number of captured requests. */
  kept: number;
}

/** A rejected request with everything that its diagnosis needs, including credentials. */
export interface CapturedRequest {
  delivery: DeliveryId;
  /** Name, value, name, value; each character of a value is one byte. */
  rawHeaders: readonly string[];
  body: Uint8Array;
  /** The URL that should be configured at the sender, with the received query. */
  publicUrl: string;
  /** Wall time in milliseconds. */
  receivedAt: number;
}

/** Opens and closes the windows in which rejected requests are captured for a diagnosis. */
export interface CaptureControl {
  /** Opens a window, or moves the end of an open one, which keeps its requests. */
  open(webhook: WebhookUid, forMs: number): CaptureState;
  /** Deletes the window and its requests. Does nothing if no window is open. */
  close(webhook: WebhookUid): void;
  /** `null` if no window is open. */
  state(webhook: WebhookUid): CaptureState | null;
}

/** An open window, for other replicas. */
export interface OpenCapture {
  webhook: WebhookUid;
  /** Milliseconds until it ends. */
  forMs: number;
  /** The captured requests, oldest first. */
  deliveries: DeliveryId[];
}

/** The windows of this daemon, with the requests that it captured. */
export interface LocalCaptures extends CaptureControl {
  listOpen(): OpenCapture[];
  /** The request of that delivery; `null` if it was not captured here, or was dropped. */
  find(webhook: WebhookUid, delivery: DeliveryId): CapturedRequest | null;
}

/** The windows of all daemons that share the storage. */
export interface SharedCaptureControl extends CaptureControl {
  /** Diagnoses each delivery where its request was captured, otherwise here. */
  shareDiagnosis(diagnoseHere: DiagnoseDelivery): DiagnoseDelivery;
}
