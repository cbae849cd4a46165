import type { WebhookUid } from '../../ids.ts';

/** An open capture window of a webhook. */
export interface CaptureState {
  /** Wall time in milliseconds at which the window ends and the captured requests are deleted. */
  until: number;
  /** Number of captured requests. */
  kept: number;
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
