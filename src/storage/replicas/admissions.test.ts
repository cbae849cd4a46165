import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReplicaMessage } from '../../domain/ports/replicas.ts';
import { Admissions } from './admissions.ts';

/** PostgreSQL rejects longer messages. */
const MAX_BYTES = 8000 - ' '.length - 36;

describe('what a replica admitted', () => {
  const sent: ReplicaMessage[] = [];
  /** Ends the sending of the oldest message. */
  const ends: (() => void)[] = [];
  let admissions: Admissions;
  let replicas: number;
  beforeEach(() => {
    replicas = 2;
    sent.splice(0);
    ends.splice(0);
    admissions = new Admissions({
      announce: (message) =>
        new Promise((resolve) => {
          sent.push(message);
          ends.push(resolve);
        }),
      countReplicas: () => replicas,
    });
  });
  afterEach(() => {
    admissions.stop();
    for (const end of ends) end();
  });

  it('is unseen until a message with it was sent', async () => {
    admissions.note('deliveries', 'wh_a', false);
    expect(sent).toEqual([]);
    admissions.note('deliveries', 'wh_a', true);
    expect(sent).toEqual([{ kind: 'admitted', of: 'deliveries', counts: [['wh_a', 2]] }]);
    admissions.note('deliveries', 'wh_a', false);
    expect(admissions.countUnseen('deliveries', 'wh_a')).toBe(3);
    expect(admissions.countUnseen('failures', 'wh_a')).toBe(0);
    const seen = admissions.untilSeen();
    ends[0]!();
    await expect.poll(() => sent.length).toBe(2);
    expect(admissions.countUnseen('deliveries', 'wh_a')).toBe(1);
    ends[1]!();
    await seen;
    expect(admissions.countUnseen('deliveries', 'wh_a')).toBe(0);
  });

  it('is unseen for the time that the others need to count it', async () => {
    const startedAt = performance.now();
    admissions.note('deliveries', 'wh_a', true);
    ends[0]!();
    await admissions.untilSeen();
    // A timer may be early by the part of a millisecond that it does not count.
    expect(performance.now() - startedAt).toBeGreaterThan(98);
  });

  it('is not sent without other replicas', async () => {
    replicas = 1;
    admissions.note('deliveries', 'wh_a', true);
    await admissions.untilSeen();
    expect(sent).toEqual([]);
    expect(admissions.countUnseen('deliveries', 'wh_a')).toBe(0);
  });

  it('is sent in one message at a time, and what became urgent meanwhile follows', async () => {
    // Without the messages of each second.
    admissions.stop();
    admissions.note('failures', 'wh_a 192.0.2.1', true);
    admissions.note('failures', 'wh_a 192.0.2.1', true);
    expect(sent).toHaveLength(1);
    ends[0]!();
    await expect.poll(() => sent.length).toBe(2);
    expect(sent[1]).toEqual({ kind: 'admitted', of: 'failures', counts: [['wh_a 192.0.2.1', 1]] });
  });

  it('is divided into messages that are not too long', () => {
    const keys = Array.from(
      { length: 250 },
      (_, i) => `wh_${String(i).padStart(26, '0')} ${'2001:0db8:'.repeat(4)}::/64`,
    );
    for (const key of keys) admissions.note('failures', key, false);
    void admissions.untilSeen();
    return expect
      .poll(() => sent.flatMap((message) => (message.kind === 'admitted' ? message.counts : [])).map(([key]) => key))
      .toEqual(keys)
      .then(() => {
        for (const message of sent) expect(JSON.stringify(message).length).toBeLessThan(MAX_BYTES);
      });
  });
});
