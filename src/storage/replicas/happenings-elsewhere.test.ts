import { expect, it } from 'vitest';
import type { Happening, Happenings, Publish } from '../../domain/happenings.ts';
import type { DeliveryId, RunId } from '../../domain/ids.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { ReplicaMessage } from '../../domain/ports/replicas.ts';
import type { DeliveryLogEntry } from '../../domain/resources/delivery.ts';
import { Parts } from '../../platform/parts.ts';
import { createPublishElsewhere, receiveAfterLoss, receiveMessage } from './happenings-elsewhere.ts';

const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

const rejection = {
  kind: 'rejection',
  id: 'dlv_1' as DeliveryId,
  label: null,
  webhook: 7,
  count: 3,
} as DeliveryLogEntry;

/** What each happening leaves for the other replicas. */
function publishElsewhere<Kind extends Happening>(kind: Kind, what: Happenings[Kind]): unknown[] {
  const sent: unknown[] = [];
  const publish = createPublishElsewhere({
    announce: (message) => sent.push(message),
    exchange: {
      noteRecorded: (id) => sent.push(['recorded', id]),
      noteUnaccepted: (...counted) => sent.push(['unaccepted', ...counted]),
      noteStartable: (factory) => sent.push(['startable', factory]),
      noteRunChanged: (run) => sent.push(['changed', run]),
    },
    noteOwnChange: (...change) => sent.push(['live', ...change]),
  });
  publish(kind, what);
  return sent;
}

/** What a message means to a replica. */
function receive(message: unknown): unknown[] {
  const received: unknown[] = [];
  receiveMessage(message as ReplicaMessage, (kind, what) => received.push([kind, what]));
  return received;
}

it('sends what is rare immediately, and notes what is frequent for a later message', () => {
  const factory = 'payments';
  expect(publishElsewhere('pushReceived', { factory, trace: null })).toEqual([{ kind: 'push', factory, trace: null }]);
  expect(publishElsewhere('pullRequestsHinted', { factory })).toEqual([{ kind: 'pullRequests', factory }]);
  expect(publishElsewhere('secretStored', { name: 'KEY' })).toEqual([{ kind: 'secret', name: 'KEY' }]);
  expect(publishElsewhere('runsCreated', { factory, runs: [] })).toEqual([['startable', factory]]);
  expect(publishElsewhere('slotFreed', { factory })).toEqual([['startable', factory]]);
  expect(publishElsewhere('runsChanged', { runs: ['run_1' as RunId] })).toEqual([['changed', 'run_1']]);
  expect(publishElsewhere('definitionApplied', { factory, version: 4 })).toEqual([['live', factory, 4]]);
});

it.each([true, false])('notifies the others once about a secret that a person changes (leads: %s)', (isLeader) => {
  const sent: unknown[] = [];
  const parts = new Parts(logger);
  const publish: Publish = (kind, what) => sent.push(...publishElsewhere(kind, what));
  parts.join({ group: { isLeader }, publish });
  parts.publish('secretStored', { name: 'KEY' });
  parts.publish('secretChanged', { name: 'KEY' });
  expect(sent).toEqual([{ kind: 'secret', name: 'KEY' }]);
});

it('counts a request that was not accepted, by its webhook', () => {
  const outcome: Happenings['deliveryRecorded']['outcome'] = { label: 'Accepted' };
  expect(publishElsewhere('deliveryRecorded', { entry: rejection, outcome })).toEqual([
    ['recorded', 'dlv_1'],
    ['unaccepted', 'limited', 7, 3],
  ]);
});

it('sends nothing about what concerns one replica', () => {
  expect(publishElsewhere('factoryRemoved', { factory: 'payments' })).toEqual([]);
});

it('receives each message as what happened', () => {
  expect(receive({ kind: 'secret', name: 'KEY' })).toEqual([
    ['secretStored', { name: 'KEY' }],
    ['secretChanged', { name: 'KEY' }],
  ]);
  // A run of another replica may have a concurrency key.
  expect(receive({ kind: 'runs', factories: ['a', 'b'] })).toEqual([
    ['runsCreated', { factory: 'a', runs: [{ concurrencyKey: '' }] }],
    ['runsCreated', { factory: 'b', runs: [{ concurrencyKey: '' }] }],
  ]);
  expect(receive({ kind: 'cancel', run: 'run_1', attempt: 1 })).toEqual([['cancelOrdered', { run: 'run_1' }]]);
  expect(receive({ kind: 'probeSeen', uid: 'wh_1' })).toEqual([['probeNoted', { kind: 'probeSeen', uid: 'wh_1' }]]);
});

it('ignores a message of a later version, and those that the group itself follows', () => {
  expect([
    ...receive({ kind: 'later' }),
    ...receive({ kind: 'joined' }),
    ...receive({ kind: 'live', factories: [] }),
  ]).toEqual([]);
});

it('after lost messages, everything may have happened', () => {
  const received: unknown[] = [];
  receiveAfterLoss((kind, what) => received.push([kind, what]));
  expect(received).toEqual([
    ['messagesLost', {}],
    ['runsChanged', { runs: null }],
  ]);
});
