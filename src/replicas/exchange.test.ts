import { afterEach, expect, it } from 'vitest';
import type { DeliveryId } from '../core/ids.ts';
import type { ReplicaMessage } from '../core/ports/replicas.ts';
import { Exchange } from './exchange.ts';

const sent: ReplicaMessage[] = [];
const exchange = new Exchange((message) => sent.push(message));
exchange.stop();
afterEach(() => sent.splice(0));

/** PostgreSQL rejects longer messages. */
const MAX_BYTES = 8000 - ' '.length - 36;

it('sends nothing if nothing happened', () => {
  exchange.flush();
  expect(sent).toEqual([]);
});

it('sends each count once', () => {
  exchange.noteAdmitted('deliveries', 'wh_a');
  exchange.noteAdmitted('deliveries', 'wh_a');
  exchange.noteAdmitted('failures', 'wh_a 192.0.2.0');
  exchange.noteUnaccepted('limited', 7, 3);
  exchange.noteRecorded('dlv_a');
  exchange.flush();
  expect(sent).toEqual([
    { kind: 'admitted', of: 'deliveries', counts: [['wh_a', 2]] },
    { kind: 'admitted', of: 'failures', counts: [['wh_a 192.0.2.0', 1]] },
    { kind: 'unaccepted', of: 'limited', counts: [['7', 3]] },
    { kind: 'recorded', deliveries: ['dlv_a'] },
  ]);
  sent.splice(0);
  exchange.flush();
  expect(sent).toEqual([]);
});

it('divides what is too long for a message, and does not list more deliveries than fit in one', () => {
  const keys = Array.from(
    { length: 250 },
    (_, i) => `wh_${String(i).padStart(26, '0')} ${'2001:0db8:'.repeat(4)}::/64`,
  );
  for (const key of keys) exchange.noteAdmitted('failures', key);
  for (let i = 0; i < 200; i += 1) exchange.noteRecorded(`dlv_${String(i).padStart(26, '0')}` as DeliveryId);
  exchange.flush();
  const counts = sent.flatMap((message) => (message.kind === 'admitted' ? message.counts : []));
  expect(counts.map(([key]) => key)).toEqual(keys);
  expect(sent.at(-1)).toMatchObject({ kind: 'recorded' });
  for (const message of sent) expect(JSON.stringify(message).length).toBeLessThan(MAX_BYTES);
  sent.splice(0);
  for (let i = 0; i < 201; i += 1) exchange.noteRecorded('dlv_b');
  exchange.flush();
  expect(sent).toEqual([{ kind: 'recorded', deliveries: null }]);
});
