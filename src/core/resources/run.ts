import type { DeliveryId, RunId, WebhookUid } from '../ids.ts';
import type { Json } from '../json.ts';
import { defineFields, type RecordOf, type ViewOf } from './fields.ts';
import {
  counter,
  id,
  instant,
  instantOrNull,
  integerOrNull,
  nullable,
  oneOf,
  text,
  textOrNull,
} from './value-types.ts';

export const RUN_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** A key of the table in `executors/index.ts`. A stored run may name an executor that this version does not have. */
export type ExecutorType = string;

/** The fields of a run. */
export const RUN_FIELDS = defineFields({
  id: { type: id<RunId>() },
  factory: { type: text },
  automation: { type: text },
  delivery: { type: id<DeliveryId>(), description: 'ID of the delivery that started it.', column: 'delivery_id' },
  webhookUid: { type: id<WebhookUid>(), column: null },
  deliveryIdentity: { type: text, description: 'The sender’s ID of the delivery.', api: 'delivery_id' },
  state: { type: oneOf(RUN_STATES), generated: true },
  attempt: { type: counter, description: '1 for the first attempt.', generated: true },
  executor: { type: nullable(id<ExecutorType>()), description: '`null` until an executor starts it.' },
  revision: { type: textOrNull, description: 'The commit that was live.' },
  error: { type: textOrNull, description: 'Why the attempt failed, as a code or one sentence.' },
  exitCode: { type: integerOrNull },
  createdAt: { type: instant },
  startedAt: { type: instantOrNull },
  finishedAt: { type: instantOrNull },
});

/** One execution of an automation for one delivery. */
export interface Run extends RecordOf<typeof RUN_FIELDS> {}

/** A run as the management API and `run.json` show it (interfaces, "Response shapes"). */
export type RunView = ViewOf<typeof RUN_FIELDS>;

/** Everything an executor needs to execute one attempt. */
export interface RunInput {
  run: Run;
  webhook: { name: string; uid: WebhookUid };
  /** The prompt of the automation at the commit that was live. */
  prompt: string;
  agent: string | null;
  overrides: { [key: string]: Json };
  /** The exact bytes of the received body. */
  payload: Uint8Array;
}

/** How an attempt ended. */
export interface RunResult {
  state: 'succeeded' | 'failed' | 'cancelled';
  /** Machine-readable or one sentence: `timeout`, `interrupted`, `exit code 3`, …; `null` on success. */
  error: string | null;
  exitCode: number | null;
}
