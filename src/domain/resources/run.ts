import { type Actor, IDENTITY_KINDS } from '../access/access.ts';
import type { DeliveryFilter, Received } from '../definitions/trigger.ts';
import type { DeliveryId, RunId, WebhookUid } from '../ids.ts';
import type { Json } from '../json.ts';
import { RUN_OUTPUT_SCHEMA, type RunOutput } from '../runs/run-output.ts';
import type { WorkspacePolicy } from '../runs/workspace.ts';
import { defineFields, type RecordOf, type ViewOf } from './fields.ts';
import {
  count,
  counter,
  id,
  instant,
  instantOrNull,
  integerOrNull,
  json,
  nullable,
  oneOf,
  text,
  textOrNull,
} from './value-types.ts';
import type { AppliedWebhook } from './webhook.ts';

export const RUN_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The states of a run that has ended. */
export const ENDED_STATES = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly RunState[];

/**
 * The state of a dead letter: a run that failed and has no automatic attempt left. A run that is retried automatically is
 * `queued` again, in the same transaction as its failure.
 */
export const DEAD_LETTER_STATE = 'failed' satisfies RunState;

/**
 * What a queued run waits for, apart from a free slot. `arrived`: its policy has not been applied yet. `debounce`: the end
 * of the quiet time of its key. `concurrency`: runs with its key fill the limit. `budget`: its automation has started as
 * many runs as it may. `paused`: its automation is paused. `backoff`: the time of `notBefore`, after a failed attempt.
 */
const RUN_GATES = ['arrived', 'debounce', 'concurrency', 'budget', 'paused', 'backoff'] as const;
export type RunGate = (typeof RUN_GATES)[number];

/** A key of the table in `config/executors/executors.ts`. A stored run may name an executor that this version does not have. */
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
  output: {
    type: json<RunOutput | null>(RUN_OUTPUT_SCHEMA),
    api: 'result',
    description: 'What the last attempt wrote to `result.json`; `null` if it wrote none.',
    generated: true,
  },
  /** `null` if the run may start, or is not queued. */
  gate: { type: nullable(oneOf(RUN_GATES)), generated: true, api: null },
  concurrencyKey: {
    type: textOrNull,
    description:
      'The values of the key that its automation declares in `concurrency`, as a JSON list; `null` without one.',
  },
  runsOn: {
    type: json<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
    description: 'The labels that a worker needs to get the run; `null` if it needs none.',
  },
  supersededBy: {
    type: nullable(id<RunId>()),
    description: 'The newer run that replaced it; `null` if none did.',
    generated: true,
  },
  /** When the gate opens, if that depends on the time. */
  notBefore: { type: instantOrNull, generated: true, api: null },
  /** A `StoredTraceContext` of the delivery; `null` if it was not traced. */
  traceContext: { type: textOrNull, api: null },
});

/** One execution of an automation for one delivery. */
export interface Run extends RecordOf<typeof RUN_FIELDS> {}

/** A run as the management API and `run.json` show it (interfaces, "Response shapes"). */
export type RunView = ViewOf<typeof RUN_FIELDS>;

const actorOrNull = json<Actor | null>({
  type: ['object', 'null'],
  required: ['kind', 'id', 'name'],
  additionalProperties: false,
  properties: {
    kind: { type: 'string', enum: [...IDENTITY_KINDS] },
    id: { type: 'string' },
    name: { type: 'string' },
  },
});

/** How far an attempt is, as its holder reports. */
export interface RunProgress {
  /** From 0 to 100. */
  percent: number | null;
  text: string | null;
}

/** Length limit of the text of `RunProgress`. */
export const MAX_PROGRESS_CHARACTERS = 200;

const progressOrNull = json<RunProgress | null>({
  type: ['object', 'null'],
  required: ['percent', 'text'],
  additionalProperties: false,
  properties: {
    percent: { type: ['number', 'null'], minimum: 0, maximum: 100 },
    text: { type: ['string', 'null'], maxLength: MAX_PROGRESS_CHARACTERS },
  },
});

/** The fields of an attempt of a run. */
export const ATTEMPT_FIELDS = defineFields({
  number: { type: counter, description: '1 for the first attempt.' },
  state: { type: oneOf(RUN_STATES), description: '`queued`: the attempt has not started.' },
  /** As in `RunResult`. Answers contain it as `reason` and `reason_text`. */
  error: { type: textOrNull, api: null },
  exitCode: { type: integerOrNull },
  requestedAt: {
    type: instantOrNull,
    description: 'When the attempt was requested; `null` for the first attempt, which the delivery started.',
  },
  requestedBy: {
    type: actorOrNull,
    description:
      'Who requested the attempt; `null` for the first attempt, and if Dockbell retried the run automatically.',
  },
  startedAt: { type: instantOrNull },
  finishedAt: { type: instantOrNull },
  executor: { type: nullable(id<ExecutorType>()), description: '`null` until an executor starts it.' },
  worker: {
    type: textOrNull,
    description: 'Name of the token or user of the worker that claimed it; `null` for a command of the daemon.',
  },
  heldUntil: {
    type: instantOrNull,
    description:
      'When the attempt ends as `timeout`, if a receiver accepted it and reports its end (`mode: async`); otherwise `null`.',
    generated: true,
  },
  progress: {
    type: progressOrNull,
    description: 'The progress that the holder of the attempt reported last; `null` without a report.',
    generated: true,
  },
  output: {
    type: json<RunOutput | null>(RUN_OUTPUT_SCHEMA),
    api: 'result',
    description: 'What the attempt wrote to `result.json`; `null` if it wrote none.',
  },
  logOffset: {
    type: nullable(count),
    description: 'Position of its output in the log of the run, in bytes; `null` if it is not known.',
  },
});

/** One attempt to execute a run. An attempt is stored when it starts or is requested. */
export interface RunAttempt extends RecordOf<typeof ATTEMPT_FIELDS> {}

/** The deliveries of the runs that a run replaced, by `debounce` or the mode `latest`. */
export interface StandsFor {
  count: number;
  /** Newest first, at most 1,000. */
  deliveries: { delivery: DeliveryId; deliveryIdentity: string; run: RunId }[];
}

/** What is stored about a delivery, to find out what its provider says about it. */
export interface RunOrigin {
  /** What says which provider the webhook serves. */
  webhook: Pick<AppliedWebhook, 'serves' | 'signatureScheme'>;
  /** Those that were recorded. */
  headers: Received['headers'];
  /**
   * The filters of the automation for the webhook, in the order of the file, as they were when the delivery was evaluated. Empty
   * if they are no longer stored.
   */
  filters: readonly DeliveryFilter[];
}

/** Everything an executor needs to execute one attempt. */
export interface RunInput {
  run: Run;
  webhook: { name: string; uid: WebhookUid };
  /** The prompt of the automation at the commit that was live. */
  prompt: string;
  agent: string | null;
  overrides: { [key: string]: Json };
  /** The checkout that the run gets; `null` for none. */
  workspace: WorkspacePolicy | null;
  /** The name of the delivery's event; `null` if it is not known. */
  event: string | null;
  origin: RunOrigin;
  standsFor: StandsFor;
  /** When the attempt was queued, as wall time in milliseconds. */
  queuedAt: number;
  /** The exact bytes of the received body. */
  payload: Uint8Array;
}

/** How an attempt ended. */
export interface RunResult {
  state: 'succeeded' | 'failed' | 'cancelled';
  /** Machine-readable or one sentence: `timeout`, `interrupted`, `exit code 3`, …; `null` on success. */
  error: string | null;
  exitCode: number | null;
  /** What the attempt says about its work. */
  output?: RunOutput | null;
}
