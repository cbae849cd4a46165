import type { IdSource, ReplayId } from '../../domain/ids.ts';
import { scanJson } from '../../domain/payload/scan-json.ts';
import type { WantedKeys } from '../../domain/payload/wanted-keys.ts';
import type { StoredDelivery } from '../../domain/ports/replays.ts';
import type { DeliveryIdentity, ReplayEntry } from '../../domain/resources/delivery.ts';
import type { Match } from '../steps/match-delivery.ts';

/** What a replay takes from the stored delivery. */
interface ReplayedDelivery
  extends Pick<StoredDelivery, 'id' | 'event' | 'summary' | 'headers' | 'replayOf' | 'body' | 'form'> {
  identity: Omit<DeliveryIdentity, 'key'>;
}

interface ReplayParts {
  ids: Pick<IdSource, 'deliveryId'>;
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** `ReplayEntry.replay`. */
  replay: ReplayId | null;
  /** The only automation that was evaluated; `null` for all. */
  automation: string | null;
  /** Of the person who requested the replay. */
  clientAddress: string;
  nowMs: number;
}

/** The new delivery of a replay, with the runs that it starts. */
export function composeReplay(
  { ids, webhook, replay, automation, clientAddress, nowMs }: ReplayParts,
  original: ReplayedDelivery,
  { applyNumber, revision, runs }: Match,
): ReplayEntry {
  const { id, identity, event, summary, headers, replayOf, body, form } = original;
  return {
    kind: 'replay',
    id: ids.deliveryId(nowMs),
    webhook,
    size: (form ?? body).length,
    receivedAt: nowMs,
    clientAddress,
    headers,
    revision,
    replayOf: replayOf ?? id,
    replay,
    event,
    summary,
    identity,
    // Copies have separate buffers, which the recorder transfers.
    body: new Uint8Array(body),
    form: form && new Uint8Array(form),
    applyNumber,
    only: automation,
    runs,
  };
}

/** The values that filters and keys need. An earlier version may have accepted a body that is too deep now. */
export function readStored(body: Uint8Array, wanted: WantedKeys): unknown {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const scan = scanJson(bytes, wanted);
  return scan.ok ? scan.value : JSON.parse(bytes.toString('utf8'));
}
