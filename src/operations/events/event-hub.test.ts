import { describe, expect, it } from 'vitest';
import { createStandingClock, makeRun } from '../../../test/helpers/seeded-services.ts';
import type { LiveEvent, NumberedEvent } from '../../domain/ports/event-feed.ts';
import { EventHub } from './event-hub.ts';

const happening = (attempt: number): LiveEvent => ({ kind: 'run', run: makeRun({ attempt }), attempts: [] });
const attemptsOf = (events: readonly NumberedEvent[] | null) =>
  events?.map(({ event }) => event.kind === 'run' && event.run.attempt) ?? null;

function open() {
  const clock = createStandingClock();
  const hub = new EventHub(clock, 'e');
  const received: NumberedEvent[] = [];
  const publish = (...attempts: number[]) => {
    for (const attempt of attempts) hub.publish(happening(attempt));
  };
  return {
    clock,
    hub,
    received,
    publish,
    listen: (after: string | null = null) => hub.subscribe(after, (one) => void received.push(one)),
  };
}

describe('the event hub', () => {
  it('sends events to all listeners, in order, and to nobody who has left', () => {
    const { hub, received, publish, listen } = open();
    const { end } = listen();
    const others: NumberedEvent[] = [];
    hub.subscribe(null, (one) => void others.push(one));
    publish(1, 2);
    end();
    publish(3);
    expect([attemptsOf(received), attemptsOf(others)]).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
    expect(received.map(({ id }) => id)).toEqual(['e-1', 'e-2']);
  });

  it('is idle without listeners, but not for a while after the last one has left', () => {
    const { clock, hub, listen } = open();
    expect(hub.hasListeners()).toBe(false);
    const { end } = listen();
    expect(hub.hasListeners()).toBe(true);
    clock.advance(1e9);
    expect(hub.hasListeners()).toBe(true);
    end();
    clock.advance(59_999);
    expect(hub.hasListeners()).toBe(true);
    clock.advance(1);
    expect(hub.hasListeners()).toBe(false);
  });

  it('closes a short gap', () => {
    const { received, publish, listen } = open();
    const { end, position } = listen();
    expect(position).toBe('e-0');
    publish(1);
    end();
    publish(2, 3);
    expect(attemptsOf(listen(received[0]!.id).missed)).toEqual([2, 3]);
    expect(attemptsOf(listen('e-0').missed)).toEqual([1, 2, 3]);
    expect(listen('e-3')).toMatchObject({ missed: [], position: 'e-3' });
  });

  it.each(['e-4', 'other-1', '', 'e-x', 'e-01'])('does not know what came after %j', (id) => {
    const { publish, listen } = open();
    listen();
    publish(1, 2, 3);
    expect(listen(id)).toMatchObject({ missed: null, position: 'e-3' });
  });

  it('knows of no gap in which something was not kept', () => {
    const { clock, hub, publish, listen } = open();
    listen().end();
    publish(1);
    clock.advance(60_000);
    publish(2);
    expect(listen('e-1')).toMatchObject({ missed: null, position: 'e-2' });
    hub.miss();
    expect(listen('e-2').missed).toBeNull();
    publish(4);
    expect(attemptsOf(listen('e-3').missed)).toEqual([4]);
  });

  it('keeps a thousand events at least and two thousand at most', () => {
    const { publish, listen } = open();
    listen();
    publish(...Array.from({ length: 5_500 }, (_, index) => index + 1));
    expect(listen('e-4500').missed).toHaveLength(1_000);
    expect(listen('e-3499').missed).toBeNull();
  });

  it('removes a listener that throws and keeps the others', () => {
    const { hub, received, publish, listen } = open();
    let calls = 0;
    hub.subscribe(null, () => {
      calls += 1;
      throw new Error('full');
    });
    listen();
    publish(1, 2);
    expect([calls, attemptsOf(received)]).toEqual([1, [1, 2]]);
  });
});
