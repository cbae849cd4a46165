import { expect, it } from 'vitest';
import type { Delivery, DeliveryLabel } from '../../domain/resources/delivery.ts';
import { findSubject } from './find-subject.ts';
import type { StoryRequest } from './story-parts.ts';

/** A delivery ID that the sender sent `repeats` times after it was accepted. */
function repeated(repeats: number): StoryRequest {
  const entry = (id: string, label: DeliveryLabel) =>
    ({ id, label, factory: 'a', webhookUid: 'wh_1', webhookName: 'ci', replayOf: null }) as unknown as Delivery;
  const newestFirst = [
    ...Array.from({ length: repeats }, (_, index) => entry(`dlv_repeated${index}`, 'Duplicate')),
    entry('dlv_accepted', 'Accepted'),
  ];
  const request: Partial<{ [Part in keyof StoryRequest]: unknown }> = {
    factories: ['a'],
    asker: { role: 'viewer', factories: null },
    history: { named: async () => [] },
    deliveries: {
      list: async ({ label, limit }: { label: DeliveryLabel | null; limit: number }) => ({
        data: newestFirst.filter((one) => label === null || one.label === label).slice(0, limit),
        nextCursor: null,
      }),
    },
  };
  return request as StoryRequest;
}

it.each([1, 500])('finds the accepted delivery with the ID of a sender that repeated it %d times', async (repeats) => {
  expect(await findSubject(repeated(repeats), 'sender-1')).toEqual({
    found: 'one',
    subject: { kind: 'delivery', id: 'dlv_accepted' },
  });
});
