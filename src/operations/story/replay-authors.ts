import type { DeliveryId } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/resources/delivery.ts';
import type { Replay } from '../../domain/resources/replay.ts';
import type { StoryRequest } from './story-parts.ts';

/** Replays of one delivery whose author is looked up. */
const MAX_TOUCHES = 20;

/** Who requested these replays of one delivery, as far as it is known. */
export async function findReplayAuthors(
  { touches, replays }: StoryRequest,
  original: DeliveryId,
  replayed: readonly Delivery[],
): Promise<Map<DeliveryId, string>> {
  const authors = new Map<DeliveryId, string>();
  const alone = replayed.filter(({ replay }) => replay === null);
  const found = alone.length === 0 ? [] : await touches(`deliveries/${original}`, MAX_TOUCHES);
  for (const { id } of alone) {
    const by = found.find(({ object }) => object.endsWith(id))?.by;
    if (by != null) authors.set(id, by);
  }
  const whole = new Map<string, Replay | null>();
  for (const { id, replay } of replayed) {
    if (replay === null) continue;
    if (!whole.has(replay)) whole.set(replay, await replays.get(replay));
    const by = whole.get(replay)?.requestedBy.name;
    if (by !== undefined) authors.set(id, by);
  }
  return authors;
}
