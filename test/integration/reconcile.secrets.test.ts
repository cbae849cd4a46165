import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SecretStore } from '../../src/domain/ports/secret-store.ts';
import { buildAudited } from '../helpers/build-apply.ts';
import { eventually } from '../helpers/eventually.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const OLD = 'the-old-secret-of-the-team';
const NEW = 'the-new-secret-of-the-team';

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
});
afterEach(() => world.close());

/** Waits until the loop has made this number of automatic passes. */
const waitForPasses = (count: number) => eventually(() => world.ended.length >= count);
const pinnedVersion = async () => (await world.storage.inventory.load(FACTORY))?.webhooks[0]?.secretVersion;

describe('a secret that a sender supplies', () => {
  it('stays pinned if another daemon pins it between the plan and the apply', async () => {
    let supply = async () => {};
    await world.close();
    world = await createReconcileWorld({
      wrapInventory: (inventory) => ({
        ...inventory,
        apply: async (change) => {
          await supply();
          return inventory.apply(change);
        },
      }),
    });
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    await world.put('A', OLD);
    await world.pass();
    let supplied = 0;
    supply = async () => {
      if (supplied > 0) return;
      supplied += 1;
      await world.put('A', NEW);
      const { uid } = (await world.storage.inventory.load(FACTORY))!.webhooks[0]!;
      expect(await world.storage.inventory.pinSecret(uid, { from: 1, to: 2 }, buildAudited(FACTORY, world.now))).toBe(
        true,
      );
    };
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\nrotationOverlap: 1h\n' });
    expect(await world.pass()).toMatchObject({ result: 'applied' });
    expect([supplied, await pinnedVersion()]).toEqual([1, 2]);
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
  });
});

describe('a secret with a rotation overlap', () => {
  const rotate = async (file: string) => {
    world.source.commit({ 'webhooks/a.yaml': file });
    await world.put('A', OLD);
    await world.pass();
    await world.put('A', NEW);
    world.source.commit({ 'webhooks/a.yaml': file, 'README.md': 'rotate\n' });
    expect(await world.pass()).toMatchObject({ result: 'applied' });
  };

  it('accepts the previous version for that time after the apply, also after a restart, and then never again', async () => {
    await rotate('secretName: A\nrotationOverlap: 1h\n');
    expect([world.accepts('a', OLD), world.accepts('a', NEW), world.accepts('a', 'another')]).toEqual([
      true,
      true,
      false,
    ]);
    world = await world.restart();
    await world.pass();
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([true, true]);
    world.now += 3_600_000;
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
    world = await world.restart();
    await world.pass();
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
  });

  it('accepts only the version before, and none after a change to another secret', async () => {
    await rotate('secretName: A\nrotationOverlap: 2d\n');
    await world.put('A', 'the-third-secret-of-the-team');
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\nrotationOverlap: 2d\n', 'README.md': 'again\n' });
    await world.pass();
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
    await world.put('B', 'the-secret-of-another-name');
    world.source.commit({ 'webhooks/a.yaml': 'secretName: B\nrotationOverlap: 2d\n' });
    await world.pass();
    expect([world.accepts('a', NEW), world.accepts('a', 'the-third-secret-of-the-team')]).toEqual([false, false]);
  });

  it('ends early if the file no longer asks for it', async () => {
    await rotate('secretName: A\nrotationOverlap: 1h\n');
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    await world.pass();
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
  });

  it('is off by default', async () => {
    await rotate('secretName: A\n');
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
  });
});

describe('a secret that does not exist', () => {
  it('fails the whole apply, and reports the file, the line and the action to take', async () => {
    await world.put('THERE', OLD);
    world.source.commit({ 'webhooks/a.yaml': 'secretName: THERE\n', 'webhooks/b.yaml': 'secretName: NOT_THERE\n' });
    const reconciliation = await world.pass();
    expect(reconciliation).toMatchObject({ result: 'failed', reason: 'SecretMissing' });
    expect(reconciliation.diagnostics).toEqual([
      expect.objectContaining({ rule: 'secret/missing', file: 'webhooks/b.yaml', line: 1, column: 13 }),
    ]);
    expect(reconciliation.diagnostics[0]?.hint).toContain('dockbell secret create NOT_THERE');
    expect(world.registry.current().webhooks.size).toBe(0);
    expect((await world.storage.inventory.load(FACTORY))?.webhooks).toEqual([]);
  });

  it('is waited for: when the last one is created, the definition is applied automatically', async () => {
    const revision = world.source.commit({
      'webhooks/a.yaml': 'secretName: A\n',
      'webhooks/b.yaml': 'secretName: B\n',
    });
    await world.pass();
    await world.put('A', OLD);
    await waitForPasses(2);
    await world.put('B', OLD);
    await waitForPasses(3);
    expect(world.ended.map(({ result, diagnostics }) => [result, diagnostics.length])).toEqual([
      ['failed', 2],
      ['failed', 1],
      ['applied', 0],
    ]);
    expect(world.ended.at(-1)?.revision).toBe(revision);
    expect(world.accepts('a', OLD) && world.accepts('b', OLD)).toBe(true);
  });

  it('is detected also if it is created during the pass that misses it', async () => {
    const revision = world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    let isLate = true;
    const wrapSecrets = (secrets: SecretStore): SecretStore => ({
      ...secrets,
      resolve: async (name, user) => {
        const found = await secrets.resolve(name, user);
        if (isLate) {
          isLate = false;
          await world.put('A', OLD);
        }
        return found;
      },
    });
    world = await world.restart({ wrapSecrets });
    expect(await world.pass()).toMatchObject({ result: 'failed', reason: 'SecretMissing' });
    await waitForPasses(2);
    expect(world.ended.map((ending) => ending.reason)).toEqual(['SecretMissing', 'Applied']);
    expect(world.live('a')?.revision).toBe(revision);
  });

  it('of a running factory does not change the last valid definition', async () => {
    await world.put('A', OLD);
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    await world.pass();
    world.source.commit({ 'webhooks/a.yaml': 'secretName: GONE\n' });
    await world.pass();
    expect(world.accepts('a', OLD)).toBe(true);
  });
});

describe('a secret that is unsuitable for its webhook', () => {
  it('makes the definition invalid, and is retried when it changes, not by time', async () => {
    await world.put('A', 'not/url safe, but long enough');
    world.source.commit({ 'webhooks/a.yaml': 'authMode: url_token\nsecretName: A\n' });
    const reconciliation = await world.pass();
    expect(reconciliation).toMatchObject({ result: 'invalid', reason: 'SecretUnsuitable' });
    expect(reconciliation.diagnostics).toEqual([expect.objectContaining({ rule: 'webhook/unsafe-secret' })]);
    expect(JSON.stringify(reconciliation)).not.toContain('not/url safe');
    expect(world.timers.isPending).toBe(false);
    await world.put('A', NEW);
    await waitForPasses(2);
    expect(world.ended.at(-1)).toMatchObject({ result: 'applied' });
    expect(world.accepts('a', NEW)).toBe(true);
  });
});

describe('rotation', () => {
  beforeEach(async () => {
    await world.put('A', OLD);
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    await world.pass();
    await world.put('A', NEW);
  });

  it('is not done by an update alone, another pass of the same commit or a restart', async () => {
    expect(world.accepts('a', OLD)).toBe(true);
    expect(await world.pass()).toMatchObject({ result: 'unchanged' });
    expect(world.accepts('a', OLD)).toBe(true);
    world = await world.restart();
    expect(world.accepts('a', OLD)).toBe(true);
    expect(await world.pass()).toMatchObject({ result: 'unchanged' });
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([true, false]);
    expect(await pinnedVersion()).toBe(1);
  });

  it('is done by the next commit, also by an empty one, and shown in the plan', async () => {
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    const { plan } = await world.pass();
    expect(plan.webhooks.update).toEqual([
      expect.objectContaining({ name: 'a', changes: [{ key: 'secretVersion', from: 1, to: 2 }] }),
    ]);
    expect([world.accepts('a', OLD), world.accepts('a', NEW)]).toEqual([false, true]);
  });

  it('is not done by a commit that is invalid', async () => {
    world.source.commit({ 'webhooks/a.yaml': 'secretNam: A\n' });
    await world.pass();
    expect(world.accepts('a', OLD)).toBe(true);
  });

  it('after a forced deletion keeps the pinned value until the next apply, which fails clearly', async () => {
    await world.secrets.delete('A', { force: true });
    expect(world.accepts('a', OLD)).toBe(true);
    world = await world.restart();
    expect(world.accepts('a', OLD)).toBe(true);
    world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n' });
    expect(await world.pass()).toMatchObject({ result: 'failed', reason: 'SecretMissing' });
    expect(world.accepts('a', OLD)).toBe(true);
  });
});

it('gives webhooks that share a secret the same version, even if it changes in between', async () => {
  await world.put('A', OLD);
  const wrapSecrets = (secrets: SecretStore): SecretStore => ({
    ...secrets,
    resolve: async (name, user) => {
      const found = await secrets.resolve(name, user);
      await world.put(name, NEW);
      return found;
    },
  });
  world = await world.restart({ wrapSecrets });
  world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n', 'webhooks/b.yaml': 'secretName: A\n' });
  await world.pass();
  expect([world.accepts('a', OLD), world.accepts('b', OLD)]).toEqual([true, true]);
});
