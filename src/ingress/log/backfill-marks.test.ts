import { expect, it } from 'vitest';
import { BackfillMarks, markBackfills } from './backfill-marks.ts';

const { header } = markBackfills(new BackfillMarks());
const send = (mark: string) => ({ get: (name: string) => (name === header ? mark : undefined) });

it('finds the mark of a backfill until its request is answered, and no other', () => {
  const marks = new BackfillMarks();
  expect(marks.find(send('guessed'))).toBeUndefined();
  const [original, signed] = [marks.issue('backfilled'), marks.issue('backfilled_signed_again')];
  expect(original).not.toBe(signed);
  expect([original, signed, 'guessed', ''].map((mark) => marks.find(send(mark)))).toEqual([
    'backfilled',
    'backfilled_signed_again',
    undefined,
    undefined,
  ]);
  expect(marks.find({ get: () => undefined })).toBeUndefined();
  marks.withdraw(original);
  expect([marks.find(send(original)), marks.find(send(signed))]).toEqual([undefined, 'backfilled_signed_again']);
});
