import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeliveryId, WebhookUid } from '../../src/domain/ids.ts';
import type { CaptureMessage } from '../../src/domain/ports/replicas.ts';
import type { Delivery } from '../../src/domain/resources/delivery.ts';
import { CaptureWindows } from '../../src/ingress/log/capture-window.ts';
import { SharedCaptures } from '../../src/storage/replicas/shared-captures.ts';

const HOOK = 'wh_1' as WebhookUid;

/** A replica with its own windows. Its messages reach the others unless the network is down. */
interface Replica {
  local: CaptureWindows;
  shared: SharedCaptures;
  diagnose(id: string): Promise<string>;
}

let nowMs: number;
let isDown: boolean;
let replicas: Map<string, Replica>;
/** What was scheduled with its time. */
let scheduled: { dueMs: number; act: () => void }[];

beforeEach(() => {
  nowMs = 1_000;
  isDown = false;
  scheduled = [];
  replicas = new Map([start('leader'), start('one'), start('two')]);
});
afterEach(() => {
  for (const { shared } of replicas.values()) shared.stop();
});

function start(id: string): [string, Replica] {
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
  const local = new CaptureWindows(clock, () => () => {});
  const shared = new SharedCaptures({
    local,
    announce: (message) => {
      if (isDown) return;
      for (const [other, { shared: receiver }] of replicas)
        if (other !== id) receiver.note(structuredClone(message) as CaptureMessage, id);
    },
    readDelivery: async (delivery) => ({ id: delivery, webhookUid: HOOK }) as Delivery,
    nowMs: () => nowMs,
    schedule: (delayMs, act) => {
      const entry = { dueMs: nowMs + delayMs, act };
      scheduled.push(entry);
      return () => void scheduled.splice(scheduled.indexOf(entry), 1);
    },
  });
  if (id === 'leader') shared.lead(new AbortController().signal);
  const diagnoseShared = shared.shareDiagnosis(async ({ webhookUid, id: delivery }) => ({
    mistake: local.find(webhookUid, delivery) === null ? 'not captured' : `captured by ${id}`,
    sentence: '',
    tried: [],
  }));
  const diagnose = async (delivery: string) =>
    (await diagnoseShared({ id: delivery, webhookUid: HOOK } as Delivery)).mistake!;
  return [id, { local, shared, diagnose }];
}

const get = (id: string) => replicas.get(id)!;

function keep(id: string, delivery: string): void {
  get(id).local.keep(HOOK, {
    delivery: delivery as DeliveryId,
    rawHeaders: [],
    body: new Uint8Array(10),
    publicUrl: '',
    receivedAt: 0,
  });
}

/** What the timers do after this time. */
function pass(ms: number): void {
  for (const end = nowMs + ms; nowMs < end; ) {
    nowMs += 1_000;
    for (const { shared } of replicas.values()) shared.renew();
    for (const { act } of scheduled.filter(({ dueMs }) => dueMs <= nowMs)) act();
  }
}

it('opens a window at all replicas, and counts and diagnoses what each captured', async () => {
  expect(get('leader').shared.open(HOOK, 60_000)).toEqual({ until: 61_000, kept: 0 });
  keep('leader', 'dlv_0');
  keep('one', 'dlv_1');
  keep('two', 'dlv_2');
  pass(1_000);
  expect(get('leader').shared.state(HOOK)).toMatchObject({ kept: 3 });
  expect(await get('leader').diagnose('dlv_0')).toBe('captured by leader');
  expect(await get('leader').diagnose('dlv_1')).toBe('captured by one');
  expect(await get('leader').diagnose('dlv_2')).toBe('captured by two');
  expect(await get('leader').diagnose('dlv_3')).toBe('not captured');
});

it('closes a window at all replicas, which delete what they captured', () => {
  get('leader').shared.open(HOOK, 60_000);
  keep('one', 'dlv_1');
  pass(1_000);
  get('leader').shared.close(HOOK);
  expect(get('leader').shared.state(HOOK)).toBeNull();
  expect(get('one').local.find(HOOK, 'dlv_1')).toBeNull();
  get('leader').shared.open(HOOK, 60_000);
  expect(get('leader').shared.state(HOOK)).toMatchObject({ kept: 0 });
});

it('keeps the windows of followers open as long as that of the leader, and no longer', () => {
  get('leader').shared.open(HOOK, 60_000);
  pass(55_000);
  keep('one', 'dlv_1');
  expect(get('one').local.isOpen(HOOK)).toBe(true);
  pass(5_000);
  expect(get('one').local.isOpen(HOOK)).toBe(false);
  expect(get('leader').shared.state(HOOK)).toBeNull();
});

it('ends the window of a follower without news of it, and opens that of one which starts later', () => {
  get('leader').shared.open(HOOK, 60_000);
  isDown = true;
  pass(10_000);
  expect(get('one').local.isOpen(HOOK)).toBe(false);
  isDown = false;
  const [id, later] = start('three');
  replicas.set(id, later);
  pass(1_000);
  expect([get('one').local.isOpen(HOOK), later.local.isOpen(HOOK)]).toEqual([true, true]);
});

it('forgets what a lost replica captured, and concludes here if it does not answer', async () => {
  get('leader').shared.open(HOOK, 60_000);
  keep('one', 'dlv_1');
  pass(1_000);
  replicas.get('one')!.shared.stop();
  replicas.delete('one');
  const diagnosed = get('leader').diagnose('dlv_1');
  pass(10_000);
  expect(await diagnosed).toBe('not captured');
  expect(get('leader').shared.state(HOOK)).toMatchObject({ kept: 0 });
  expect(await get('leader').diagnose('dlv_1')).toBe('not captured');
});
