import type { ReconciliationEnd } from './applies/reconciliation.ts';
import type { DeliveryId, RunId } from './ids.ts';
import type { ScheduleChanges } from './ports/definitions.ts';
import type { AdmissionKind, Counts, ProbeMessage, UnacceptedKind } from './ports/replicas.ts';
import type { DeliveryLogEntry, NewRun, RecordOutcome } from './resources/delivery.ts';
import type { StoredTraceContext } from './telemetry/trace-context.ts';

/** Everything that one part of a daemon reports to the others. */
export interface Happenings {
  /** An entry of the delivery log is on disk, or could not be written. */
  deliveryRecorded: { entry: DeliveryLogEntry; outcome: RecordOutcome };
  /** Another replica recorded these; `null` if they are too many to list. */
  deliveriesRecordedElsewhere: { deliveries: readonly DeliveryId[] | null };
  /** Requests that another replica did not accept, by the number of the webhook. */
  requestsNotAcceptedElsewhere: { of: UnacceptedKind; counts: Counts };
  /** Runs of this factory were stored. Those with a concurrency key can end others. */
  runsCreated: { factory: string; runs: readonly Pick<NewRun, 'concurrencyKey'>[] };
  /** A run of this factory has ended, so that another daemon may start one. */
  slotFreed: { factory: string };
  /** The states of these runs have changed, on disk; `null` if they are too many to list, or unknown. */
  runsChanged: { runs: readonly RunId[] | null };
  /** The attempt of this run has to be cancelled by the daemon that executes it. */
  cancelOrdered: { run: RunId };
  /** A version or the scope of this secret was stored, or the secret was deleted. */
  secretStored: { name: string };
  /** The same, by a person: what waits for the secret is retried. */
  secretChanged: { name: string };
  /** What this factory serves was written, and is live here; `version` as `AssignedNumbers.liveVersion`. */
  definitionApplied: { factory: string; version: number | undefined };
  /** The schedules of these automations are live. */
  schedulesChanged: ScheduleChanges;
  /** Nothing of this factory is live any more. */
  factoryRemoved: { factory: string };
  reconciled: ReconciliationEnd;
  /** The production branch of this factory may have moved. */
  pushReceived: { factory: string; trace: StoredTraceContext | null };
  /** Pull requests of this factory may have changed. */
  pullRequestsHinted: { factory: string };
  /** What is known about the pull requests of this factory has changed. */
  pullRequestsChanged: { factory: string };
  /** Requests to another replica that count for limits. */
  requestsAdmittedElsewhere: { of: AdmissionKind; counts: Counts };
  /** About a request through the public URL. */
  probeNoted: ProbeMessage;
  /** Messages of other replicas may have been lost. */
  messagesLost: object;
}

export type Happening = keyof Happenings;

/**
 * The audience of a happening.
 * - `here`: the parts of this daemon.
 * - `leader`: the parts of the daemon that leads, and no other.
 * - `here and leader`: both. If this daemon leads, its parts get the happening once.
 * - `all`: the parts of all daemons that share the storage.
 * - `others`: the same, except this daemon.
 */
export type Audience = 'here' | 'leader' | 'here and leader' | 'all' | 'others';

/** The audience of each happening. How a happening reaches other daemons: `storage/replicas/happenings-elsewhere.ts`. */
export const AUDIENCE = {
  deliveryRecorded: 'here and leader',
  deliveriesRecordedElsewhere: 'leader',
  requestsNotAcceptedElsewhere: 'leader',
  runsCreated: 'all',
  slotFreed: 'others',
  runsChanged: 'here and leader',
  cancelOrdered: 'all',
  secretStored: 'all',
  secretChanged: 'here and leader',
  definitionApplied: 'all',
  schedulesChanged: 'here',
  factoryRemoved: 'here',
  reconciled: 'here',
  pushReceived: 'leader',
  pullRequestsHinted: 'leader',
  pullRequestsChanged: 'here',
  requestsAdmittedElsewhere: 'all',
  probeNoted: 'others',
  messagesLost: 'here',
} as const satisfies Record<Happening, Audience>;

/** Reports a happening to the parts of this daemon and of others, by `AUDIENCE`. Returns immediately, and never throws. */
export type Publish = <Kind extends Happening>(kind: Kind, what: Happenings[Kind]) => void;

/** What a part does when something happened. A handler returns quickly, and must not rely on the order of happenings. */
export type Handlers = { readonly [Kind in Happening]?: (what: Happenings[Kind]) => void };
