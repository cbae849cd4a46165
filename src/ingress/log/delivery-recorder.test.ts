import { describe, expect, it } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import type {
  DeliveryLogEntry,
  DeliveryOffer,
  RecordOutcome,
  RejectionEntry,
} from '../../domain/resources/delivery.ts';
import { DeliveryRecorder } from './delivery-recorder.ts';

/** A log whose batches end when the test ends them. */
function createLog() {
  const batches: { ids: string[]; end(outcomes?: RecordOutcome[]): void; fail(error: unknown): void }[] = [];
  const record = (entries: DeliveryLogEntry[]) =>
    new Promise<RecordOutcome[]>((resolve, reject) => {
      batches.push({
        ids: entries.map(({ id }) => id),
        end: (outcomes = entries.map(() => ({ label: 'Accepted' }))) => resolve(outcomes),
        fail: reject,
      });
    });
  return { batches, recorder: new DeliveryRecorder({ record }) };
}

const offer = (id: string | number, size = 10) => ({ kind: 'offer', id: `dlv_${id}`, size }) as DeliveryOffer;
const rejection = (id: string | number) => ({ kind: 'rejection', id: `dlv_${id}`, size: 1e12 }) as RejectionEntry;
const settled = () => new Promise(setImmediate);

describe('the recorder', () => {
  it('writes a single delivery immediately', () => {
    const { batches, recorder } = createLog();
    void recorder.offer(offer(1));
    expect(batches.map(({ ids }) => ids)).toEqual([['dlv_1']]);
  });

  it('collects entries that arrive during a write into the next batch, in order', async () => {
    const { batches, recorder } = createLog();
    const all = [offer(1), offer(2), offer(3)].map((entry) => recorder.offer(entry));
    recorder.note(rejection(4));
    batches[0]!.end();
    await settled();
    expect(batches.map(({ ids }) => ids)).toEqual([['dlv_1'], ['dlv_2', 'dlv_3', 'dlv_4']]);
    batches[1]!.end([
      { label: 'Duplicate', of: 'dlv_1', reason: 'same_identity' },
      { label: 'Accepted' },
      { label: 'Rejected (auth)' },
    ]);
    expect(await Promise.all(all)).toEqual([
      { label: 'Accepted' },
      { label: 'Duplicate', of: 'dlv_1', reason: 'same_identity' },
      { label: 'Accepted' },
    ]);
  });

  it('takes the runs that the storage did not create out of an entry, before anybody learns of it', async () => {
    const seen: string[][] = [];
    const runs = [
      { id: 'run_a', automation: 'a', version: 1 },
      { id: 'run_b', automation: 'b', version: 2 },
    ] as const;
    const record = async (): Promise<RecordOutcome[]> => [{ label: 'Accepted', guarded: ['a'] }];
    const recorder = new DeliveryRecorder({ record }, (entry) =>
      seen.push(entry.kind === 'rejection' ? [] : entry.runs.map(({ id }) => id)),
    );
    const entry = { ...offer(1), runs: [...runs] };
    await recorder.offer(entry);
    expect(entry.runs).toEqual([runs[1]]);
    expect(seen).toEqual([['run_b']]);
  });

  it('resolves no entry before the batch is written', async () => {
    const { batches, recorder } = createLog();
    let isAnswered = false;
    const answered = recorder.offer(offer(1)).then(() => {
      isAnswered = true;
    });
    await settled();
    expect(isAnswered).toBe(false);
    batches[0]!.end();
    await answered;
  });

  it('limits a batch by entries and by bytes', async () => {
    const { batches, recorder } = createLog();
    void recorder.offer(offer('first'));
    for (let i = 0; i < 300; i++) void recorder.offer(offer(i));
    for (let i = 0; i < 3; i++) void recorder.offer(offer(`large ${i}`, 3 * 1024 * 1024));
    void recorder.offer(offer('huge', 9 * 1024 * 1024));
    for (let i = 0; i < batches.length; i++) {
      batches[i]!.end();
      await settled();
    }
    expect(batches.map(({ ids }) => ids.length)).toEqual([1, 256, 46, 1, 1]);
    expect(batches.flatMap(({ ids }) => ids)).toEqual([
      'dlv_first',
      ...Array.from({ length: 300 }, (_, i) => `dlv_${i}`),
      'dlv_large 0',
      'dlv_large 1',
      'dlv_large 2',
      'dlv_huge',
    ]);
  });

  it('fails the entries of a batch that could not be written, and continues with the next', async () => {
    const { batches, recorder } = createLog();
    const first = recorder.offer(offer(1));
    const second = recorder.offer(offer(2));
    const error = new AppError('storage_unavailable', 'disk full');
    batches[0]!.fail(error);
    await expect(first).rejects.toBe(error);
    batches[1]!.end();
    await expect(second).resolves.toEqual({ label: 'Accepted' });
  });

  it('rejects early if too many wait, and drops rejections', async () => {
    const { batches, recorder } = createLog();
    void recorder.offer(offer('first'));
    for (let i = 0; i < 4_096; i++) void recorder.offer(offer(i));
    await expect(recorder.offer(offer('late'))).rejects.toMatchObject({ code: 'storage_unavailable' });
    recorder.note(rejection('late'));
    for (let i = 0; i < batches.length; i++) {
      batches[i]!.end();
      await settled();
    }
    expect(batches.flatMap(({ ids }) => ids)).toHaveLength(4_097);
  });

  it('is drained when no entry waits', async () => {
    const { batches, recorder } = createLog();
    await recorder.drain();
    void recorder.offer(offer(1));
    void recorder.offer(offer(2));
    let isDrained = false;
    const drained = recorder.drain().then(() => {
      isDrained = true;
    });
    batches[0]!.end();
    await settled();
    expect(isDrained).toBe(false);
    batches[1]!.end();
    await drained;
  });
});
