// Stored deliveries again. In: an order of a person. Out: new entries of the log with runs, which claim no identity. One
// delivery is replayed immediately (`replay-delivery.ts`), a selection by `replay-loop.ts`, which draws its states.
// `evaluate-replay.ts` decides what a stored delivery starts now or would have started then, `preview-replay.ts` counts it.

import type { ReplayControl, ReplayRequest } from '../../domain/ports/replays.ts';
import { MAX_OPEN_REPLAYS, type Replay } from '../../domain/resources/replay.ts';
import { measureReplay, previewReplay } from './preview-replay.ts';
import { type ReplayContext, replayDelivery } from './replay-delivery.ts';
import { ReplayLoop, type ReplayLoopParts } from './replay-loop.ts';

/** Everything that replays stored deliveries. */
export interface ReplayService {
  control: ReplayControl;
  /** Continues the replays of an earlier daemon, until `term` aborts. */
  start(term: AbortSignal): Promise<void>;
  /** Waits for the steps in progress. Replays continue with the next daemon. */
  stop(): Promise<void>;
}

export function createReplays(parts: ReplayContext & ReplayLoopParts): ReplayService {
  const { replays, clock } = parts;
  const loop = new ReplayLoop(parts);
  return {
    control: {
      replay: (order) => replayDelivery(parts, order),
      preview: (selection, cursor) => previewReplay(parts, selection, cursor),
      create: async (request) => {
        const replay = await composeJob(parts, request);
        if ((await replays.insert(replay, MAX_OPEN_REPLAYS)) === 'too_many') return null;
        loop.begin(replay);
        return replay;
      },
      cancel: (id) => replays.end(id, { state: 'cancelled', error: null, at: clock.wallMs() }),
    },
    start: (term) => loop.start(term),
    stop: () => loop.stop(),
  };
}

/** A new replay. Deliveries that arrive later are not part of it. */
async function composeJob({ replays, ids, clock }: ReplayLoopParts, request: ReplayRequest): Promise<Replay> {
  const { after, last, total } = await measureReplay(replays, request);
  const createdAt = clock.wallMs();
  return {
    ...request,
    id: ids.replayId(createdAt),
    state: 'pending',
    createdAt,
    startedAt: null,
    finishedAt: null,
    position: after,
    lastDelivery: last,
    total,
    examined: 0,
    replayed: 0,
    matched: 0,
    runs: 0,
    skipped: {},
    error: null,
  };
}
