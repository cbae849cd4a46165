import { type Actor, IDENTITY_KINDS } from '../access/access.ts';
import type { DeliveryId, ReplayId, WebhookUid } from '../ids.ts';
import type { ReplaySkip } from '../words/deliveries.ts';
import { defineFields, type RecordOf } from './fields.ts';
import { count, counter, id, instant, instantOrNull, json, nullable, oneOf, text, textOrNull } from './value-types.ts';

export const REPLAY_STATES = ['pending', 'running', 'finished', 'cancelled', 'failed'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** The states of a replay that continues, also after a restart. */
export const OPEN_REPLAY_STATES = ['pending', 'running'] as const satisfies readonly ReplayState[];

export function isOpenReplay({ state }: { state: ReplayState }): boolean {
  return (OPEN_REPLAY_STATES as readonly ReplayState[]).includes(state);
}

/** The definition that decides what a replay starts: the live one, or the one that was live when the delivery was received. */
export const REPLAY_DEFINITIONS = ['now', 'then'] as const;
export type ReplayDefinition = (typeof REPLAY_DEFINITIONS)[number];

/** Deliveries per second. */
export const DEFAULT_REPLAY_RATE = 10;
export const MAX_REPLAY_RATE = 1_000;

/** Maximum number of replays of a factory that are not finished. */
export const MAX_OPEN_REPLAYS = 10;

/** The filters of a replay, as the API takes and shows them. They select accepted deliveries only. */
export type ReplayFilter = {
  webhook?: WebhookUid;
  delivery_id?: string;
  event?: string;
  from?: string;
  to?: string;
  unmatched?: boolean;
  search?: string;
};

/** Number of skipped deliveries for each reason. */
export type SkipCounts = { [reason in ReplaySkip]?: number };

const actor = json<Actor>({
  type: 'object',
  required: ['kind', 'id', 'name'],
  additionalProperties: false,
  properties: {
    kind: { type: 'string', enum: [...IDENTITY_KINDS] },
    id: { type: 'string' },
    name: { type: 'string' },
  },
});

/** The fields of a replay. */
export const REPLAY_FIELDS = defineFields({
  id: { type: id<ReplayId>() },
  factory: { type: text },
  state: { type: oneOf(REPLAY_STATES), description: '`pending` until the first delivery is examined.' },
  delivery: {
    type: nullable(id<DeliveryId>()),
    description: 'The only delivery that is replayed; `null` if `filter` selects deliveries.',
  },
  filter: {
    type: json<ReplayFilter>({ type: 'object', additionalProperties: true }),
    description: 'The filters that select deliveries, as they were requested.',
  },
  automation: { type: textOrNull, description: 'The only automation that is evaluated; `null` for all.' },
  asOf: {
    type: oneOf(REPLAY_DEFINITIONS),
    description:
      '`now`: the live definition decides what starts. `then`: the one that was live when the delivery was received.',
  },
  rate: { type: counter, description: 'Maximum number of deliveries that are replayed in a second.' },
  requestedBy: { type: actor, description: 'Who requested the replay.' },
  /** Of the person who requested the replay, for the delivery log. */
  clientAddress: { type: text, api: null },
  createdAt: { type: instant },
  startedAt: { type: instantOrNull },
  finishedAt: { type: instantOrNull },
  /** The number of the delivery after which the replay continues. */
  position: { type: count, api: null },
  /** The number of the newest delivery when the replay was created. Later deliveries are not part of it. */
  lastDelivery: { type: count, api: null },
  total: {
    type: count,
    description:
      'Number of accepted deliveries within webhook and times when the replay was created. All are examined.',
  },
  examined: { type: count, description: 'Number of deliveries that were examined until now.' },
  replayed: { type: count, description: 'Number of deliveries that were replayed: each is a new delivery.' },
  matched: { type: count, description: 'Number of replayed deliveries that started a run.' },
  runs: { type: count, description: 'Number of runs that started.' },
  /** Answers show a list with the reasons as sentences. */
  skipped: { type: json<SkipCounts>({ type: 'object' }), api: null },
  error: { type: textOrNull, description: 'Why the replay failed; `null` if it did not.' },
});

/** A replay of stored deliveries, and how far it is. */
export interface Replay extends RecordOf<typeof REPLAY_FIELDS> {}

/** The counts of a replay after more reasons to skip. */
export function addSkips(counts: SkipCounts, more: SkipCounts): SkipCounts {
  const sum: SkipCounts = { ...counts };
  for (const [reason, number] of Object.entries(more) as [ReplaySkip, number][]) {
    if (number > 0) sum[reason] = (sum[reason] ?? 0) + number;
  }
  return sum;
}
