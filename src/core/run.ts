import type { DeliveryId, RunId, WebhookUid } from './ids.ts';
import type { Json } from './json.ts';

export const RUN_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The legal changes of state. A retry is the same run with `attempt` + 1, queued again. */
export const RUN_TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['running', 'cancelled'],
  running: ['queued', 'succeeded', 'failed', 'cancelled'],
  succeeded: ['queued'],
  failed: ['queued'],
  cancelled: ['queued'],
};

export type ExecutorType = 'command' | 'http' | 'queue';

/** One execution of an automation for one delivery. */
export interface Run {
  id: RunId;
  factory: string;
  automation: string;
  delivery: DeliveryId;
  webhookUid: WebhookUid;
  /** The sender's identity of the delivery. */
  deliveryIdentity: string;
  state: RunState;
  /** 1 for the first try. */
  attempt: number;
  /** `null` until an executor took it. */
  executor: ExecutorType | null;
  revision: string | null;
  error: string | null;
  exitCode: number | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

/** Everything an executor needs to carry out one attempt. */
export interface RunInput {
  run: Run;
  webhook: { name: string; uid: WebhookUid };
  /** The automation's prompt as it was at the commit that was live. */
  prompt: string;
  agent: string | null;
  overrides: { [key: string]: Json };
  /** Byte for byte the body received. */
  payload: Uint8Array;
}

/** How an attempt ended. */
export interface RunResult {
  state: 'succeeded' | 'failed' | 'cancelled';
  /** Machine-readable or one sentence: `timeout`, `interrupted`, `exit code 3`, …; `null` on success. */
  error: string | null;
  exitCode: number | null;
}
