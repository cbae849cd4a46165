import type { AUDIENCE, Happening, Happenings, Publish } from '../../domain/happenings.ts';
import type { CaptureMessage, ReplicaMessage } from '../../domain/ports/replicas.ts';
import type { DeliveryLogEntry } from '../../domain/resources/delivery.ts';
import type { Exchange } from './exchange.ts';

/** Ways to the other replicas. */
export interface ReplicaChannels {
  /** Sends a message immediately. */
  announce(message: ReplicaMessage): void;
  /** Collects what happens often, for one message. */
  exchange: Pick<Exchange, 'noteRecorded' | 'noteUnaccepted' | 'noteStartable' | 'noteRunChanged'>;
  /** Publishes what this replica serves. */
  noteOwnChange(factory: string, version: number | undefined): void;
}

/** Those that only come from other replicas, or that a message about another happening implies. */
type Received =
  | 'deliveriesRecordedElsewhere'
  | 'requestsNotAcceptedElsewhere'
  | 'requestsAdmittedElsewhere'
  | 'cancelOrdered'
  | 'probeNoted'
  | 'secretChanged';
/** A happening that concerns other replicas needs a row: without it, the types are wrong. */
type SentHappening = Exclude<
  { [Kind in Happening]: (typeof AUDIENCE)[Kind] extends 'here' ? never : Kind }[Happening],
  Received
>;
type Send<Kind extends Happening> = (what: Happenings[Kind], channels: ReplicaChannels) => void;

/**
 * How each happening reaches the other replicas. Those that only come from there have no row, nor does `secretChanged`: a secret
 * that a person changes is also stored, and the message about that means both.
 */
const SENDING: { readonly [Kind in SentHappening]: Send<Kind> } = {
  deliveryRecorded: ({ entry }, { exchange }) => noteRecorded(entry, exchange),
  runsCreated: ({ factory }, { exchange }) => exchange.noteStartable(factory),
  slotFreed: ({ factory }, { exchange }) => exchange.noteStartable(factory),
  runsChanged: ({ runs }, { exchange }) => {
    for (const run of runs ?? []) exchange.noteRunChanged(run);
  },
  secretStored: ({ name }, { announce }) => announce({ kind: 'secret', name }),
  definitionApplied: ({ factory, version }, { noteOwnChange }) => noteOwnChange(factory, version),
  pushReceived: ({ factory, trace }, { announce }) => announce({ kind: 'push', factory, trace }),
  pullRequestsHinted: ({ factory }, { announce }) => announce({ kind: 'pullRequests', factory }),
};

type Receive<Kind extends ReplicaMessage['kind']> = (
  message: Extract<ReplicaMessage, { kind: Kind }>,
  receive: Publish,
) => void;

/** What a message means. Those about captures are for `SharedCaptures`, and `live` and `joined` for the group. */
type ReceivedKind = Exclude<ReplicaMessage['kind'], CaptureMessage['kind'] | 'live' | 'joined'>;
const RECEIVING: { readonly [Kind in ReceivedKind]: Receive<Kind> } = {
  runs: ({ factories }, receive) => {
    // Any of them may have a concurrency key.
    for (const factory of factories) receive('runsCreated', { factory, runs: [{ concurrencyKey: '' }] });
  },
  runsChanged: ({ runs }, receive) => receive('runsChanged', { runs }),
  cancel: ({ run }, receive) => receive('cancelOrdered', { run }),
  secret: ({ name }, receive) => {
    receive('secretStored', { name });
    receive('secretChanged', { name });
  },
  push: ({ factory, trace }, receive) => receive('pushReceived', { factory, trace }),
  pullRequests: ({ factory }, receive) => receive('pullRequestsHinted', { factory }),
  recorded: ({ deliveries }, receive) => receive('deliveriesRecordedElsewhere', { deliveries }),
  unaccepted: ({ of, counts }, receive) => receive('requestsNotAcceptedElsewhere', { of, counts }),
  admitted: ({ of, counts }, receive) => receive('requestsAdmittedElsewhere', { of, counts }),
  probe: (message, receive) => receive('probeNoted', message),
  probeSeen: (message, receive) => receive('probeNoted', message),
};

/** Sends what happened here to the other replicas. */
export function createPublishElsewhere(channels: ReplicaChannels): Publish {
  return (kind, what) => {
    const send: Send<typeof kind> | undefined = (SENDING as { readonly [Kind in Happening]?: Send<Kind> })[kind];
    send?.(what, channels);
  };
}

/** Reports what a message of another replica means. One of another version may have a kind that this one does not know. */
export function receiveMessage(message: ReplicaMessage, receive: Publish): void {
  const row = (RECEIVING as { readonly [kind: string]: ((message: never, receive: Publish) => void) | undefined })[
    message.kind
  ];
  row?.(message as never, receive);
}

/** After messages may have been lost. */
export function receiveAfterLoss(receive: Publish): void {
  receive('messagesLost', {});
  receive('runsChanged', { runs: null });
}

function noteRecorded(entry: DeliveryLogEntry, exchange: ReplicaChannels['exchange']): void {
  exchange.noteRecorded(entry.id);
  if (entry.kind !== 'rejection') return;
  exchange.noteUnaccepted(entry.label === null ? 'limited' : 'rejected', entry.webhook, entry.count);
}
