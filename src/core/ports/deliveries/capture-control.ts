import type { WebhookUid } from '../../ids.ts';

/** An open capture window of a webhook. */
export interface CaptureState {
  /** Wall time in milliseconds at which it ends and all that it kept is dropped. */
  until: number;
  /** How many rejected requests it holds now. */
  kept: number;
}

/** Opens and closes the windows in which rejected requests are kept for a diagnosis. */
export interface CaptureControl {
  /** Opens a window, or moves the end of an open one, whose requests stay. */
  open(webhook: WebhookUid, forMs: number): CaptureState;
  /** Drops the window and all that it kept; nothing where none is open. */
  close(webhook: WebhookUid): void;
  /** `null` where no window is open. */
  state(webhook: WebhookUid): CaptureState | null;
}
