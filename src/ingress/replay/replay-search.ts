import type { ReplaySearch } from '../../domain/ports/replays.ts';
import type { Replay } from '../../domain/resources/replay.ts';

/** What a replay examines, by its filter. */
export function toSearch({ factory, delivery, filter }: Pick<Replay, 'factory' | 'delivery' | 'filter'>): ReplaySearch {
  const { webhook, delivery_id, event, from, to, unmatched, search } = filter;
  return {
    ...(webhook === undefined ? { factory } : { webhookUid: webhook }),
    delivery,
    identity: delivery_id,
    event,
    fromAt: from === undefined ? undefined : Date.parse(from),
    untilAt: to === undefined ? undefined : Date.parse(to),
    isUnmatched: unmatched,
    text: search,
  };
}
