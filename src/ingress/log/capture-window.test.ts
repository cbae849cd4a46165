import { describe, expect, it } from 'vitest';
import type { DeliveryId, WebhookUid } from '../../domain/ids.ts';
import { CaptureWindows } from './capture-window.ts';

const HOOK = 'wh_1' as WebhookUid;
const rawHeaders: string[] = [];

function start() {
  let nowMs = 1_000;
  const scheduled: { ms: number; act: () => void; cancelled: boolean }[] = [];
  const clock = { wallMs: () => 1_790_000_000_000 + nowMs, monotonicMs: () => nowMs };
  const windows = new CaptureWindows(clock, (ms, act) => {
    const entry = { ms, act, cancelled: false };
    scheduled.push(entry);
    return () => {
      entry.cancelled = true;
    };
  });
  const keep = (id: string, bytes = 10) =>
    windows.keep(HOOK, {
      delivery: id as DeliveryId,
      rawHeaders,
      body: new Uint8Array(bytes),
      publicUrl: '',
      receivedAt: 0,
    });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { windows, keep, advance, scheduled };
}

describe('a capture window', () => {
  it('is closed by default, and captures nothing while closed', () => {
    const { windows, keep } = start();
    keep('a');
    expect([windows.isOpen(HOOK), windows.state(HOOK), windows.find(HOOK, 'a' as DeliveryId)]).toEqual([
      false,
      null,
      null,
    ]);
  });

  it('keeps requests of its webhook until it is closed', () => {
    const { windows, keep } = start();
    expect(windows.open(HOOK, 60_000)).toEqual({ until: 1_790_000_061_000, kept: 0 });
    keep('a');
    expect(windows.state(HOOK)).toMatchObject({ kept: 1 });
    expect(windows.isOpen('wh_2' as WebhookUid)).toBe(false);
    expect(windows.find('wh_2' as WebhookUid, 'a' as DeliveryId)).toBeNull();
    windows.close(HOOK);
    windows.open(HOOK, 60_000);
    expect(windows.find(HOOK, 'a' as DeliveryId)).toBeNull();
  });

  it('ends by the clock, and deletes its requests when the timer fires', () => {
    const late = start();
    late.windows.open(HOOK, 60_000);
    late.keep('a');
    late.advance(60_000);
    expect(late.windows.find(HOOK, 'a' as DeliveryId)).toBeNull();
    const fired = start();
    fired.windows.open(HOOK, 60_000);
    fired.keep('a');
    expect(fired.scheduled[0]?.ms).toBe(60_000);
    fired.scheduled[0]!.act();
    expect(fired.windows.isOpen(HOOK)).toBe(false);
  });

  it('that is opened again keeps its requests and takes the new end', () => {
    const { windows, keep, advance, scheduled } = start();
    windows.open(HOOK, 60_000);
    keep('a');
    windows.open(HOOK, 120_000);
    expect(scheduled[0]?.cancelled).toBe(true);
    advance(90_000);
    expect(windows.find(HOOK, 'a' as DeliveryId)).not.toBeNull();
  });

  it('holds the 20 most recent requests', () => {
    const { windows, keep } = start();
    windows.open(HOOK, 60_000);
    for (let i = 0; i < 25; i++) keep(`d${i}`);
    expect(windows.state(HOOK)).toMatchObject({ kept: 20 });
    expect(windows.find(HOOK, 'd4' as DeliveryId)).toBeNull();
    expect(windows.find(HOOK, 'd5' as DeliveryId)).not.toBeNull();
  });

  it('holds at most one mebibyte, header fields included', () => {
    const { windows, keep } = start();
    windows.open(HOOK, 60_000);
    for (let i = 0; i < 8; i++) keep(`d${i}`, 262_144);
    expect(windows.state(HOOK)).toMatchObject({ kept: 3 });
    keep('huge', 1_048_576);
    expect(windows.find(HOOK, 'huge' as DeliveryId)).toBeNull();
    expect(windows.state(HOOK)).toMatchObject({ kept: 3 });
  });
});
