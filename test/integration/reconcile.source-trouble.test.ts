import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceFailure } from '../../src/domain/ports/sources.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const SECRET = 'a-secret-that-is-long-enough';
const WEBHOOK = 'secretName: S\n';

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
  await world.put('S', SECRET);
});
afterEach(() => world.close());

const status = async () => (await world.storage.inventory.status(FACTORY))!;
const condition = async (type: string) => (await status()).conditions.find((each) => each.type === type);

it('a force-push back to an older commit applies it', async () => {
  const older = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  world.source.commit({ 'webhooks/a.yaml': `${WEBHOOK}enabled: false\n` });
  await world.pass();
  expect(world.live('a')).toBeUndefined();
  world.source.moveTo(older);
  expect(await world.pass()).toMatchObject({ result: 'applied', revision: older });
  expect(world.accepts('a', SECRET)).toBe(true);
});

it('a force-push back to the live commit, away from a broken one, is healthy again', async () => {
  const good = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  world.source.commit({ 'webhooks/a.yaml': 'broken' });
  await world.pass();
  world.source.moveTo(good);
  expect(await world.pass()).toMatchObject({ result: 'unchanged', revision: good });
  expect(await condition('Reconciled')).toMatchObject({ status: 'True' });
  expect(await status()).toMatchObject({ attemptedRevision: good });
});

it('a push on top of the last commit logs no rewrite, a force-push does', async () => {
  const first = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  const second = world.source.commit({ 'webhooks/a.yaml': `${WEBHOOK}enabled: false\n` });
  expect(await world.pass()).toMatchObject({ result: 'applied', message: `${second} is live` });
  world.source.moveTo(first);
  const message = `${first} is live; the history of the branch was rewritten: it no longer contains ${second}`;
  expect(await world.pass()).toMatchObject({ result: 'applied', message });
  expect(await condition('Reconciled')).toMatchObject({ status: 'True', message });
  expect((await world.history())[0]).toMatchObject({ revision: first, message });
  expect(world.warned).toEqual([
    { fields: { factory: FACTORY, revision: first, previous: second }, message: 'history rewritten' },
  ]);
});

it('a force-push is a condition until a commit on top of it, also over failures', async () => {
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  const second = world.source.commit({ 'webhooks/a.yaml': `${WEBHOOK}enabled: false\n` });
  await world.pass();
  expect(await condition('HistoryRewritten')).toBeUndefined();
  const first = (await world.history()).at(-1)!.revision!;
  world.source.moveTo(first);
  await world.pass();
  const message = `the history of the branch was rewritten: it no longer contains ${second}`;
  const rewritten = { status: 'True', reason: 'ForcePushed', message };
  expect(await condition('HistoryRewritten')).toMatchObject(rewritten);
  expect(await world.pass()).toMatchObject({ result: 'unchanged' });
  world.source.fail({ reason: 'RepositoryUnreachable', message: 'The server does not answer.' });
  await world.pass();
  expect(await condition('HistoryRewritten')).toMatchObject(rewritten);
  world.source.commit({ 'webhooks/a.yaml': `${WEBHOOK}enabled: true\n` });
  await world.pass();
  expect(await condition('HistoryRewritten')).toBeUndefined();
});

it('a commit that nobody trusted signed waits for the next one, and is read again only if somebody asks', async () => {
  const good = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  const untrusted = world.source.commit({ 'webhooks/b.yaml': WEBHOOK });
  const message = `Commit ${untrusted} has no SSH signature.`;
  world.source.failTree({ reason: 'CommitUntrusted', message });
  const invalid = { result: 'invalid', reason: 'CommitUntrusted', revision: untrusted, message };
  expect(await world.pass()).toMatchObject(invalid);
  expect(await condition('Reconciled')).toMatchObject({ status: 'False', reason: 'CommitUntrusted', message });
  expect(await status()).toMatchObject({ appliedRevision: good, attemptedRevision: untrusted });
  expect(world.accepts('a', SECRET)).toBe(true);
  world.source.failTree(null);
  expect(await world.reconciler.reconcile('routine')).toMatchObject(invalid);
  expect(await world.reconciler.reconcile('asked')).toMatchObject({ result: 'applied', revision: untrusted });
});

describe.each<[SourceFailure, string]>([
  ['BranchMissing', 'There is no branch main.'],
  ['RepositoryMissing', 'There is no repository there.'],
  ['RepositoryUnreachable', 'The server does not answer.'],
  ['FetchTimeout', 'It took too long.'],
])('a source that answers %s', (reason, message) => {
  it('fails with that reason, keeps the last valid definition and recovers automatically', async () => {
    const revision = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await world.pass();
    world.source.fail({ reason, message });
    expect(await world.pass()).toMatchObject({ result: 'failed', reason, message, revision: null });
    expect(await condition('Reconciled')).toMatchObject({ status: 'False', reason, message });
    expect(await condition('Ready')).toMatchObject({ status: 'True', message: `serving ${revision}` });
    expect(await status()).toMatchObject({ appliedRevision: revision, attemptedRevision: revision });
    expect(world.accepts('a', SECRET)).toBe(true);

    const next = world.source.commit({ 'webhooks/a.yaml': WEBHOOK, 'webhooks/b.yaml': WEBHOOK });
    expect(world.timers.isPending).toBe(true);
    world.timers.fire();
    expect(await world.pass()).toMatchObject({ result: 'applied', revision: next });
    expect(await condition('Reconciled')).toMatchObject({ status: 'True' });
  });
});

it('a commit that git rejects is invalid and shown as attempted', async () => {
  const good = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  const revision = 'b'.repeat(40);
  world.source.fail({ reason: 'TreeOdd', message: 'git rejects objects.', revision });
  expect(await world.pass()).toMatchObject({ result: 'invalid', reason: 'TreeOdd', revision });
  expect(await status()).toMatchObject({ appliedRevision: good, attemptedRevision: revision });
  expect(world.timers.isPending).toBe(false);
});

it('a commit that cannot be fetched is shown as attempted and retried', async () => {
  const revision = 'b'.repeat(40);
  world.source.fail({ reason: 'FetchTooLarge', message: 'It is too large.', revision });
  expect(await world.pass()).toMatchObject({ result: 'failed', reason: 'FetchTooLarge', revision });
  expect(await status()).toMatchObject({ appliedRevision: null, attemptedRevision: revision });
  expect(world.timers.isPending).toBe(true);
});

it('a factory that never had a definition is not ready', async () => {
  expect(await world.pass()).toMatchObject({ result: 'failed', reason: 'BranchMissing' });
  expect(await condition('Ready')).toMatchObject({ status: 'False', reason: 'NothingApplied' });
});
