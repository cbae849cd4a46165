import { describe, expect, it } from 'vitest';
import { describeCondition } from '../domain/conditions.ts';
import { AUDIENCE, type Happening, type Happenings } from '../domain/happenings.ts';
import type { Part } from '../domain/part.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { Parts } from './parts.ts';

const PUSH: Happenings['pushReceived'] = { factory: 'payments', trace: null };

function open() {
  const steps: string[] = [];
  const logger: Logger = {
    info: () => {},
    warn: () => {},
    error: (_fields, message) => steps.push(message),
    child: () => logger,
  };
  const parts = new Parts<string>(logger);
  const add = (name: string, part: Omit<Part<string>, 'name'> = {}) =>
    parts.add({
      name,
      start: () => void steps.push(`start ${name}`),
      lead: () => void steps.push(`lead ${name}`),
      reload: (change) => void steps.push(`reload ${name} ${change}`),
      stop: () => void steps.push(`stop ${name}`),
      ...part,
    });
  return { parts, steps, add };
}

/** A promise, and what resolves it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('parts', () => {
  it('start in order, and stop in the reverse order', async () => {
    const { parts, steps, add } = open();
    add('a');
    add('b');
    await parts.start();
    await parts.stop();
    expect(steps).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  });

  it('start once and stop once, regardless of the number of calls', async () => {
    const { parts, steps, add } = open();
    add('a');
    await Promise.all([parts.start(), parts.start()]);
    await Promise.all([parts.stop(), parts.stop()]);
    await parts.start();
    expect(steps).toEqual(['start a', 'stop a']);
  });

  it('stop without a start', async () => {
    const { parts, steps, add } = open();
    add('a');
    await parts.stop();
    await parts.start();
    expect(steps).toEqual(['stop a']);
  });

  it('that are stopped while they start wait for the part that is starting, and start no other', async () => {
    const { parts, steps, add } = open();
    const { open: openGate, opened } = gate();
    add('a', { start: () => opened });
    add('b');
    const started = parts.start();
    const stopped = parts.stop();
    expect(steps).toEqual([]);
    openGate();
    await Promise.all([started, stopped]);
    expect(steps).toEqual(['stop b', 'stop a']);
  });

  it('report the first part that cannot start, and stop all of them', async () => {
    const { parts, steps, add } = open();
    add('a');
    add('b', { start: () => Promise.reject(new Error('port in use')) });
    add('c');
    await expect(parts.start()).rejects.toThrow('port in use');
    await parts.stop();
    expect(steps).toEqual(['start a', 'stop c', 'stop b', 'stop a']);
  });

  it('are all stopped if one of them fails to, and the failure is reported', async () => {
    const { parts, steps, add } = open();
    add('a');
    add('b', { stop: () => Promise.reject(new Error('disk full')) });
    await expect(parts.stop()).rejects.toThrow('disk full');
    expect(steps).toEqual(['stop a']);
  });

  it('lead until the term ends, once for each term', async () => {
    const { parts, steps, add } = open();
    const terms: AbortSignal[] = [];
    add('a', { lead: (term) => void terms.push(term) });
    await parts.start();
    parts.lead();
    parts.lead();
    expect(terms.map(({ aborted }) => aborted)).toEqual([false]);
    parts.endLead();
    parts.lead();
    expect(terms.map(({ aborted }) => aborted)).toEqual([true, false]);
    await parts.stop();
    expect(terms.map(({ aborted }) => aborted)).toEqual([true, true]);
    parts.lead();
    expect(terms).toHaveLength(2);
    expect(steps).toEqual(['start a', 'stop a']);
  });

  it('keep their term until it is their turn to stop, and lose it when the stop has begun', async () => {
    const { parts, steps, add } = open();
    const { open: openGate, opened } = gate();
    const watch = (name: string) => (term: AbortSignal) =>
      term.addEventListener('abort', () => steps.push(`end of ${name}`));
    add('a', { lead: watch('a') });
    add('b', {
      lead: watch('b'),
      stop: () => {
        steps.push('stop b');
        return opened;
      },
    });
    parts.lead();
    const stopped = parts.stop();
    await Promise.resolve();
    expect(steps).toEqual(['stop b', 'end of b']);
    openGate();
    await stopped;
    expect(steps.slice(2)).toEqual(['stop a', 'end of a']);
  });

  it('lead although one of them cannot', async () => {
    const { parts, steps, add } = open();
    add('a', { lead: () => Promise.reject(new Error('no connection')) });
    add('b');
    parts.lead();
    await parts.stop();
    expect(steps).toEqual(['lead b', 'a part failed to take the lead', 'stop b', 'stop a']);
  });

  it('all get a change of the configuration, also if one of them fails to apply it', async () => {
    const { parts, steps, add } = open();
    const { open: openGate, opened } = gate();
    add('a', { reload: () => opened });
    add('b', { reload: () => Promise.reject(new Error('invalid')) });
    add('c');
    const reloaded = parts.reload('limits');
    expect(steps).toEqual(['reload c limits']);
    openGate();
    await expect(reloaded).rejects.toThrow('invalid');
  });

  it('report their conditions in any state, in the order of the table', async () => {
    const { parts, add } = open();
    let isFull = false;
    const full = describeCondition('NoRecentBackup', null, '/backups');
    add('backups', { conditions: (factory) => (factory === null && isFull ? [full] : []) });
    add('storage', {
      conditions: (factory) => (factory === null ? [describeCondition('LockedByAnotherProcess')] : []),
    });
    add('runs', { conditions: (factory) => (factory === 'payments' ? [describeCondition('PausedByUser', [])] : []) });
    const types = (factory: string | null) => parts.conditions(factory).map(({ type }) => type);
    const states = [() => {}, () => parts.start(), () => parts.lead(), () => parts.endLead(), () => parts.stop()];
    for (const enter of states) {
      await enter();
      isFull = false;
      expect(types(null)).toEqual(['DatabaseLocked']);
      isFull = true;
      expect(types(null)).toEqual(['DatabaseLocked', 'BackupOverdue']);
      expect([types('payments'), types('other')]).toEqual([['Paused'], []]);
    }
  });

  it('get what happens before their start, also if the handler of another part fails', () => {
    const { parts, steps, add } = open();
    add('a', {
      on: {
        pushReceived: () => {
          throw new Error('a bug');
        },
      },
    });
    add('b', { on: { pushReceived: ({ factory }) => void steps.push(`push ${factory}`) } });
    parts.publish('pushReceived', PUSH);
    expect(steps).toEqual(['a part failed to follow what happened', 'push payments']);
  });
});

describe('what happens in a group of daemons', () => {
  /** One happening of each audience. What it is about does not matter here. */
  const OF_AUDIENCE = Object.fromEntries(
    Object.entries(AUDIENCE).map(([kind, audience]) => [audience, kind]),
  ) as Record<(typeof AUDIENCE)[Happening], Happening>;

  function openReplica(isLeader: boolean) {
    const reached: string[] = [];
    const { parts, add } = open();
    const kinds = Object.values(OF_AUDIENCE);
    add('a', { on: Object.fromEntries(kinds.map((kind) => [kind, () => void reached.push(AUDIENCE[kind])])) });
    parts.join({ group: { isLeader }, publish: (kind) => void reached.push(`${AUDIENCE[kind]} elsewhere`) });
    return { parts, reached };
  }

  it.each([
    { isLeader: true, reached: ['here', 'here and leader', 'leader', 'all', 'all elsewhere', 'others elsewhere'] },
    {
      isLeader: false,
      reached: [
        'here',
        'here and leader',
        'here and leader elsewhere',
        'leader elsewhere',
        'all',
        'all elsewhere',
        'others elsewhere',
      ],
    },
  ])('reaches its audience: leads $isLeader', ({ isLeader, reached: expected }) => {
    const { parts, reached } = openReplica(isLeader);
    for (const audience of ['here', 'here and leader', 'leader', 'all', 'others'] as const)
      parts.publish(OF_AUDIENCE[audience], {} as never);
    expect(reached).toEqual(expected);
  });

  it('is for the leader, or for all that receive it', () => {
    const [leader, follower] = [openReplica(true), openReplica(false)];
    for (const { parts } of [leader, follower])
      for (const audience of ['here and leader', 'leader', 'all', 'others'] as const)
        parts.receive(OF_AUDIENCE[audience], {} as never);
    expect(leader.reached).toEqual(['here and leader', 'leader', 'all', 'others']);
    expect(follower.reached).toEqual(['all', 'others']);
  });
});
