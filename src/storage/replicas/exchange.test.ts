import { afterEach, expect, it } from 'vitest';
import type { DeliveryId } from '../../domain/ids.ts';
import type { ReplicaMessage } from '../../domain/ports/replicas.ts';
import { Exchange } from './exchange.ts';

const sent: ReplicaMessage[] = [];
let replicas = 2;
const exchange = new Exchange(
  (message) => sent.push(message),
  () => replicas,
);
exchange.stop();
afterEach(() => {
  replicas = 2;
  sent.splice(0);
});

/** PostgreSQL rejects longer messages. */
const MAX_BYTES = 8000 - ' '.length - 36;

it('sends nothing if nothing happened', () => {
  exchange.flush();
  expect(sent).toEqual([]);
});

it('sends nothing without other replicas, also not later', () => {
  replicas = 1;
  exchange.noteUnaccepted('limited', 7, 3);
  exchange.noteRecorded('dlv_a');
  exchange.flush();
  replicas = 2;
  exchange.flush();
  expect(sent).toEqual([]);
});

it('sends each count once', () => {
  exchange.noteUnaccepted('limited', 7, 3);
  exchange.noteRecorded('dlv_a');
  exchange.flush();
  expect(sent).toEqual([
    { kind: 'unaccepted', of: 'limited', counts: [['7', 3]] },
    { kind: 'recorded', deliveries: ['dlv_a'] },
  ]);
  sent.splice(0);
  exchange.flush();
  expect(sent).toEqual([]);
});

it('divides what is too long for a message, and does not list more deliveries than fit in one', () => {
  for (let webhook = 0; webhook < 250; webhook += 1) exchange.noteUnaccepted('rejected', webhook, 1_000_000);
  for (let i = 0; i < 200; i += 1) exchange.noteRecorded(`dlv_${String(i).padStart(26, '0')}` as DeliveryId);
  exchange.flush();
  const counts = sent.flatMap((message) => (message.kind === 'unaccepted' ? message.counts : []));
  expect(counts).toHaveLength(250);
  expect(sent.at(-1)).toMatchObject({ kind: 'recorded' });
  for (const message of sent) expect(JSON.stringify(message).length).toBeLessThan(MAX_BYTES);
  sent.splice(0);
  for (let i = 0; i < 201; i += 1) exchange.noteRecorded('dlv_b');
  exchange.flush();
  expect(sent).toEqual([{ kind: 'recorded', deliveries: null }]);
});
