import { describe, expect, it } from 'vitest';
import { Confirmations } from './confirmations.ts';

const URL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription';

/** A provider that responds when the test calls it. */
function createSlowProvider() {
  const open: { answer(status: number): void; signal: AbortSignal }[] = [];
  const fetchStatus = (_url: string, signal: AbortSignal) =>
    new Promise<number>((resolve, reject) => {
      open.push({ answer: resolve, signal });
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  return { open, fetchStatus };
}

describe('confirmations', () => {
  it('succeed on 200 and report any other result', async () => {
    expect(await new Confirmations(async () => 200).begin(URL)).toEqual({ ok: true });
    expect(await new Confirmations(async () => 302).begin(URL)).toEqual({
      ok: false,
      detail: 'the provider answered with 302',
    });
    const unreachable = new Confirmations(() => Promise.reject(new Error('ENOTFOUND')));
    expect(await unreachable.begin(URL)).toMatchObject({ ok: false, detail: expect.stringContaining('ENOTFOUND') });
  });

  it('are at most four at a time, and start again when one has ended', async () => {
    const { open, fetchStatus } = createSlowProvider();
    const confirmations = new Confirmations(fetchStatus);
    const begun = [1, 2, 3, 4].map(() => confirmations.begin(URL));
    expect(confirmations.begin(URL)).toBeNull();
    open[0]!.answer(200);
    await begun[0];
    expect(confirmations.begin(URL)).not.toBeNull();
    await confirmations.stop();
  });

  it('are aborted by a stop, and none starts after it', async () => {
    const { open, fetchStatus } = createSlowProvider();
    const confirmations = new Confirmations(fetchStatus);
    const begun = confirmations.begin(URL);
    await confirmations.stop();
    expect(open[0]!.signal.aborted).toBe(true);
    expect(await begun).toMatchObject({ ok: false });
    expect(confirmations.begin(URL)).toBeNull();
  });
});
