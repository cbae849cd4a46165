import type { ReplayPreview } from '../../domain/ports/replays.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import { REPLAY_FIELDS, type Replay, type SkipCounts } from '../../domain/resources/replay.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeReplaySkip } from '../../domain/words/deliveries.ts';

/** A replay and how far it is, as the API shows it. */
export function presentReplay(replay: Replay) {
  return { ...presentFields(REPLAY_FIELDS, replay), skipped: presentSkips(replay.skipped) };
}

/** A part of a dry run, as the API shows it. */
export function presentPreview(preview: ReplayPreview) {
  const { total, examined, replayed, matched, runs, skipped, automations, nextCursor } = preview;
  return {
    total,
    examined,
    replayed,
    matched,
    runs,
    skipped: presentSkips(skipped),
    automations: automations.map(({ automation, runs: count, examples }) => ({
      automation,
      runs: count,
      examples: examples.map(({ delivery, deliveryId, receivedAt }) => ({
        delivery,
        delivery_id: deliveryId,
        received_at: formatInstant(receivedAt),
      })),
    })),
    next_cursor: nextCursor,
  };
}

function presentSkips(skipped: SkipCounts) {
  return Object.entries(skipped).map(([reason, count]) => ({
    reason,
    reason_text: describeReplaySkip(reason),
    count,
  }));
}
