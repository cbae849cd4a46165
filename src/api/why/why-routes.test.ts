import { describe, expect, it } from 'vitest';
import {
  createSeededServer,
  createSeededServices,
  DELETED_UID,
  DELIVERY_ID,
  REJECTED_ID,
  REPLAY_ID,
  RUN_ID,
  type SeededServices,
  WEBHOOK_UID,
} from '../../../test/helpers/seeded-services.ts';
import type { Role } from '../../domain/access/access.ts';

function open(role: Role = 'owner', factories: string[] | null = null, more: Partial<SeededServices> = {}) {
  const services = createSeededServices(more);
  const app = createSeededServer(services);
  const headers = { authorization: `Bearer ${services.grant(role, factories)}` };
  const why = async (ref: string, query = '') => {
    const answer = await app.inject({ url: `/api/v1/why/${encodeURIComponent(ref)}${query}`, headers });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { services, why };
}

/** One server for the tests as owner: they only read. */
const idle = open();

describe('GET /why/{ref}', () => {
  it.each([
    [DELIVERY_ID, 'delivery', DELIVERY_ID],
    [DELIVERY_ID.slice(0, 30), 'delivery', DELIVERY_ID],
    [RUN_ID, 'run', RUN_ID],
    [WEBHOOK_UID.slice(0, 10), 'webhook', WEBHOOK_UID],
    ['internal-ci', 'webhook', WEBHOOK_UID],
    ['webhook:internal-ci', 'webhook', WEBHOOK_UID],
    [`webhook:${WEBHOOK_UID}`, 'webhook', WEBHOOK_UID],
    ['gone', 'webhook', DELETED_UID],
    ['fix-errors', 'automation', 'fix-errors'],
    ['automation:fix-errors', 'automation', 'fix-errors'],
    ['INTERNAL_CI_WEBHOOK_SECRET', 'secret', 'INTERNAL_CI_WEBHOOK_SECRET'],
  ])('explains %s as a %s', async (ref, kind, id) => {
    const { status, body } = await idle.why(ref);
    expect([status, body.subject?.kind, body.subject?.id]).toEqual([200, kind, id]);
    expect(body.answer).not.toBe('');
  });

  it.each([
    [10, "More than one object matches 'dlv_01kdy5z'."],
    [11, "More than one object matches 'dlv_01kdy5z'. These are 10 of them: add characters to find the others."],
  ])('lists ten of %d objects that match, and states whether there are others', async (count, detail) => {
    const ids = Array.from({ length: count }, (_, index) => `dlv_01kdy5z${String(index).padStart(19, '0')}`);
    const find = async ({ limit }: { limit: number }) =>
      ids.slice(0, limit).map((id) => ({ id, factory: 'payments' })) as never;
    const { body } = await open('owner', null, { idFinder: { find } }).why('dlv_01kdy5z');
    expect([body.candidates.length, body.detail]).toEqual([10, detail]);
  });

  it('orders the steps by time, and those without a time come last', async () => {
    const { body } = await idle.why(RUN_ID);
    const times: (string | null)[] = body.steps.map((step: { at: string | null }) => step.at);
    const timed = times.filter((at) => at !== null);
    expect(timed).toEqual([...timed].sort());
    expect(times.lastIndexOf(timed.at(-1)!)).toBe(timed.length - 1);
  });

  it('finds the most recent delivery as `last`', async () => {
    const { body } = await idle.why('last');
    expect(body.subject.id).toBe(REPLAY_ID);
  });

  it('lists the exact forms if several objects match', async () => {
    const { status, body } = await idle.why('dlv_01kdy5z');
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.candidates.map(({ ref }: { ref: string }) => ref)).toEqual([REPLAY_ID, REJECTED_ID, DELIVERY_ID]);
  });

  it('finds a commit by its beginning, in the factory of the request', async () => {
    const { why } = idle;
    const { body } = await why('c0ff', '?factory=payments');
    expect(body.subject).toEqual({ kind: 'commit', factory: 'payments', id: 'c0ffee', name: 'c0ffee' });
    expect((await why('c0f', '?factory=payments')).status).toBe(404);
  });

  it('lists similar names and IDs if nothing matches', async () => {
    const { why } = idle;
    const { status, body } = await why('internl-ci');
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(body.candidates).toEqual([{ ref: 'webhook:internal-ci', factory: 'payments', text: 'webhook of payments' }]);
    const near = await why(`${DELIVERY_ID.slice(0, 20)}zzzzzzzzzz`);
    expect(near.body.candidates.map(({ ref }: { ref: string }) => ref)).toContain(DELIVERY_ID);
  });

  it('answers for each factory about a whole commit that was never applied', async () => {
    const commit = 'abcdef0123'.repeat(4);
    const { body } = await idle.why(commit);
    const { body: one } = await idle.why(commit, '?factory=payments');
    expect(one.answer).toMatch(/^Commit abcdef01 was never applied\./);
    expect(body.answer).toBe(`other: ${one.answer} payments: ${one.answer}`);
    const { body: limited } = await open('owner', ['other']).why(commit);
    expect(limited.answer).toBe(one.answer);
  });

  it('lists delivery IDs of senders that begin with the reference, or differ by one character', async () => {
    const { why } = idle;
    const { body } = await why(DELIVERY_ID);
    const id: string = body.subject.name;
    const wrong = `${id.slice(0, -1)}${id.endsWith('x') ? 'y' : 'x'}`;
    for (const ref of [wrong, id.slice(0, -2)]) {
      const near = await why(ref);
      expect([ref, near.status]).toEqual([ref, 404]);
      expect(near.body.candidates[0]).toEqual({
        ref: id,
        factory: expect.any(String),
        text: 'delivery to internal-ci of payments',
      });
    }
    expect((await open('owner', ['other']).why(wrong)).body.candidates).toEqual([]);
  });

  it.each(['viewer', 'operator', 'manager'] as const)('knows no secret for a %s', async (role) => {
    expect((await open(role).why('INTERNAL_CI_WEBHOOK_SECRET')).status).toBe(404);
    expect((await open(role).why('INTERNAL_CI_WEBHOOK_SECRE')).body.candidates).toEqual([]);
  });

  it('knows no secret and no object of other factories for a limited owner', async () => {
    const { why } = open('owner', ['other']);
    for (const ref of ['secret:INTERNAL_CI_WEBHOOK_SECRET', DELIVERY_ID, RUN_ID, WEBHOOK_UID, 'internal-ci', 'gone']) {
      const { status, body } = await why(ref);
      expect([ref, status, body.candidates]).toEqual([ref, 404, []]);
    }
    expect((await why(DELIVERY_ID, '?factory=payments')).status).toBe(404);
  });

  it('tries a captured request only for operators', async () => {
    const viewer = open('viewer');
    expect((await viewer.why(REJECTED_ID)).body.answer).toContain('Rejected (auth)');
    expect(viewer.services.seen.diagnosed).toEqual([]);
    const operator = open('operator');
    await operator.why(REJECTED_ID);
    expect(operator.services.seen.diagnosed).toContain(REJECTED_ID);
  });

  it.each(['%00', 'dlv_', '../x', 'webhook:', 'a'.repeat(300), "'; drop table webhooks; --", '*', '~'])(
    'answers 404 for %j',
    async (ref) => {
      expect((await idle.why(ref)).status).toBe(404);
    },
  );
});
