import type { Actor } from '../access/access.ts';
import type { DeliveryId, ReplayId, WebhookUid } from '../ids.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Delivery, IdentitySource, RecordedHeaders, ReplayEntry } from '../resources/delivery.ts';
import type { Replay, ReplayState, SkipCounts } from '../resources/replay.ts';
import type { ConcurrencyPolicy } from '../runs/run-policy.ts';

/** The accepted deliveries that a replay examines: a part of the log, and what they must have. */
export type ReplaySearch = ({ webhookUid: WebhookUid } | { factory: string }) & {
  /** The only delivery; `null` for all. */
  delivery: DeliveryId | null;
  identity?: string | undefined;
  fromAt?: number | undefined;
  untilAt?: number | undefined;
  isUnmatched?: boolean | undefined;
  event?: string | undefined;
  text?: string | undefined;
};

/** Deliveries behind `after`, up to and including `last`. Numbers increase with time, and only this port uses them. */
export interface ReplaySpan {
  search: ReplaySearch;
  after: number;
  last: number;
}

/** An automation that a delivery started when it was received, as it was then. */
export interface StartedThen {
  automation: string;
  /** `AppliedAutomation.version`. */
  version: number;
  concurrency: ConcurrencyPolicy | null;
  debounce: string | null;
  runsOn: string[] | null;
}

/** A stored delivery with everything that a replay needs. */
export interface StoredDelivery {
  id: DeliveryId;
  webhook: { ref: number; uid: WebhookUid; factory: string };
  /** Wall time in milliseconds. */
  receivedAt: number;
  identity: { source: IdentitySource; value: string };
  event: string | null;
  summary: string | null;
  headers: RecordedHeaders | null;
  replayOf: DeliveryId | null;
  /** The exact bytes, or the JSON of `form`. */
  body: Uint8Array;
  form: Uint8Array | null;
  /** The definition when it was received, and what it started. */
  atReceipt: {
    applyNumber: number;
    revision: string | null;
    /** `null` if a run that it started is no longer stored. */
    started: StartedThen[] | null;
  };
}

/** Maximum numbers of one read. */
export interface SliceBounds {
  examined: number;
  returned: number;
  /** Size of the returned bodies. A single one may be larger. */
  bytes: number;
}

/** What one read examined. */
export interface ReplaySlice {
  /** Number of deliveries that were examined. */
  examined: number;
  /** The number of the last one; `after` of the next read. */
  position: number;
  /** Has the read reached the end of the span? */
  isEnd: boolean;
  /** Those that meet the search, oldest first. */
  deliveries: StoredDelivery[];
}

/** What a replay has done since its last step. */
export interface ReplayStep {
  id: ReplayId;
  /** The replay that the step continues. If its position or factory is another one now, the step is omitted. */
  of: Pick<Replay, 'position' | 'factory'>;
  position: number;
  examined: number;
  skipped: SkipCounts;
  /** The new deliveries, stored in the transaction that moves the position. */
  entries: ReplayEntry[];
  /** Finishes the replay. */
  isEnd: boolean;
  at: number;
}

/** The outcome of a step that was taken. */
export interface ReplayProgress {
  replay: Replay;
  /** For each entry: whether it is stored. */
  stored: boolean[];
}

/** Replays and their progress, durable. */
export interface Replays {
  /** The numbers before the first delivery of a search and of its last one. */
  span(search: ReplaySearch): Promise<{ after: number; last: number }>;
  /** Counts the deliveries of a span, at most `limit` at a time. `position` is the `after` of the next count. */
  count(span: ReplaySpan, limit: number): Promise<{ count: number; position: number; isEnd: boolean }>;
  /** Examines and returns the next deliveries of a span. */
  read(span: ReplaySpan, bounds: SliceBounds): Promise<ReplaySlice>;
  /** Stores a new replay, unless the factory has `maxOpen` that are not finished. */
  insert(replay: Replay, maxOpen: number): Promise<'inserted' | 'too_many'>;
  get(id: ReplayId): Promise<Replay | null>;
  /** Newest first. */
  list(request: PageRequest & { factory: string; state?: ReplayState | undefined }): Promise<Page<Replay>>;
  /** Those that continue, oldest first. */
  open(): Promise<Replay[]>;
  /** One transaction. `null` if the replay has ended, or is not where the step continues it. */
  advance(step: ReplayStep): Promise<ReplayProgress | null>;
  /** Ends an open replay. Resolves with `false` if it has ended before. */
  end(id: ReplayId, end: { state: 'cancelled' | 'failed'; error: string | null; at: number }): Promise<boolean>;
}

/** A delivery to replay, and the address of the person who requested the replay. */
export interface ReplayOrder {
  delivery: Delivery;
  /** The only automation to evaluate; `null` for all that listen. */
  automation: string | null;
  /** Address of the client that requested the replay, for the delivery log. */
  clientAddress: string;
}

export type ReplayOutcome =
  /** The replay and its runs are on disk. */
  | { outcome: 'replayed'; id: DeliveryId }
  /** @param why one sentence for users */
  | { outcome: 'rejected'; why: string };

/** Which deliveries a replay examines, and with what. */
export type ReplaySelection = Pick<Replay, 'factory' | 'delivery' | 'filter' | 'automation' | 'asOf'>;

/** A request for a replay. */
export interface ReplayRequest extends ReplaySelection {
  rate: number;
  requestedBy: Actor;
  clientAddress: string;
}

/** What an automation would start. */
export interface PreviewedAutomation {
  automation: string;
  runs: number;
  /** The first deliveries that would start it. */
  examples: { delivery: DeliveryId; deliveryId: string; receivedAt: number }[];
}

/** A part of a dry run. Nothing is stored. */
export interface ReplayPreview {
  /** Number of accepted deliveries within webhook and times. */
  total: number;
  /** Number of them that this part examined. */
  examined: number;
  /** Number of deliveries that would be replayed. */
  replayed: number;
  matched: number;
  runs: number;
  skipped: SkipCounts;
  /** By name. */
  automations: PreviewedAutomation[];
  /** `null` if all deliveries were examined. */
  nextCursor: string | null;
}

/** Evaluates stored deliveries again. */
export interface ReplayControl {
  /** One delivery, with the live automations, before the answer. */
  replay(order: ReplayOrder): Promise<ReplayOutcome>;
  /** Stores a replay, which then works in the background. `null` if too many of the factory are not finished. */
  create(request: ReplayRequest): Promise<Replay | null>;
  /** What a replay would do with the next deliveries. */
  preview(selection: ReplaySelection, cursor: string | null): Promise<ReplayPreview>;
  /** Resolves with `false` if the replay has ended before. */
  cancel(id: ReplayId): Promise<boolean>;
}
