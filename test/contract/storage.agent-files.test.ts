import { describe, expect, it } from 'vitest';
import { collectAgentFiles, NO_AGENT_FILES } from '../../src/domain/definitions/agent-files.ts';
import type { RunId } from '../../src/domain/ids.ts';
import type { RetentionPolicy } from '../../src/domain/ports/operations.ts';
import { applyOneOfEach, buildApply, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { createTree } from '../helpers/definition-tree.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY: RetentionPolicy = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 0,
  identitiesMs: 90 * DAY_MS,
  runsMs: 30 * DAY_MS,
  auditMs: 365 * DAY_MS,
  secretVersionsMs: 30 * DAY_MS,
};

describe.each(STORAGES)('agent files on $name', (kind) => {
  const opened = useStorage(kind);

  /** Applies a revision with these files. With `isKnown`, their contents are not passed. */
  async function apply(revision: string, files: Record<string, string>, isKnown = false) {
    const read = collectAgentFiles(createTree(files).entries);
    const agentFiles = isKnown ? { ...read, contents: new Map() } : read;
    await opened.storage.inventory.apply(buildApply({ revision, agentFiles }));
    return read.set;
  }

  async function createRun(revision: string): Promise<RunId> {
    const { webhook, version } = await applied;
    const offer = buildOffer({ webhook, revision, runs: [{ automation: 'build', version }] });
    await opened.storage.deliveryLog.record([offer]);
    const { id } = offer.runs[0]!;
    await opened.storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 10, at: START_MS });
    return id;
  }

  let applied: ReturnType<typeof applyOneOfEach>;
  const begin = async () => {
    applied = applyOneOfEach(opened.storage);
    await applied;
  };

  async function filesOf(run: RunId): Promise<Record<string, string>> {
    const files = await opened.storage.runReader.agentFiles(run);
    return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]));
  }

  async function prune(days: number): Promise<void> {
    while ((await opened.storage.retention.prune(POLICY, START_MS + days * DAY_MS)).more);
  }

  it('belong to the revision that was live when the delivery was accepted', async () => {
    await begin();
    const first = { 'agents/a.md': 'first', 'skills/x/s.md': 'same' };
    await apply('r1', first);
    const early = await createRun('r1');
    await apply('r2', { 'agents/a.md': 'second', 'skills/x/s.md': 'same' });
    const late = await createRun('r2');
    await apply('r3', {});
    expect(await filesOf(early)).toEqual(first);
    expect(await filesOf(late)).toEqual({ 'agents/a.md': 'second', 'skills/x/s.md': 'same' });
    expect(await filesOf(await createRun('r3'))).toEqual({});
    expect(await filesOf('run_0' as RunId)).toEqual({});
  });

  it('are loaded with the factory, and a set that is stored needs no contents', async () => {
    await begin();
    const files = { 'agents/a.md': 'x', 'agents/b.md': 'x' };
    const set = await apply('r1', files);
    expect((await opened.storage.inventory.load(FACTORY))!.agentFiles).toEqual(set);
    await apply('r2', files, true);
    expect((await opened.storage.inventory.load(FACTORY))!.agentFiles).toEqual(set);
    expect(await filesOf(await createRun('r2'))).toEqual(files);
    await apply('r3', {});
    expect((await opened.storage.inventory.load(FACTORY))!.agentFiles).toEqual(NO_AGENT_FILES);
  });

  it('are never stored without their contents', async () => {
    await begin();
    await expect(apply('r1', { 'agents/a.md': 'x' }, true)).rejects.toThrow('the contents of agent files are missing');
    expect((await opened.storage.inventory.load(FACTORY))!.revision).not.toBe('r1');
  });

  it('are removed by retention once neither the live definition nor a run needs them', async () => {
    await begin();
    await apply('r1', { 'agents/a.md': 'first', 'skills/s.md': 'same' });
    const run = await createRun('r1');
    await apply('r2', { 'agents/a.md': 'second', 'skills/s.md': 'same' });
    await apply('r3', { 'agents/a.md': 'third' });
    for (const days of [1, 1, 1]) await prune(days);
    expect(await filesOf(run)).toEqual({ 'agents/a.md': 'first', 'skills/s.md': 'same' });
    await expect(apply('x1', { 'agents/a.md': 'second' }, true)).rejects.toThrow('are missing');

    const result = { state: 'succeeded', error: null, exitCode: 0 } as const;
    await opened.storage.runQueue.finish({ id: run, attempt: 1, result, at: START_MS });
    for (const days of [40, 40, 40]) await prune(days);
    expect(await opened.storage.runReader.get(run)).toBeNull();
    await expect(apply('x2', { 'agents/a.md': 'first' }, true)).rejects.toThrow('are missing');
    await expect(apply('x3', { 'skills/s.md': 'same' }, true)).rejects.toThrow('are missing');
    await apply('x4', { 'agents/renamed.md': 'third' }, true);
  });

  it('move with a renamed factory', async () => {
    await begin();
    await apply('r1', { 'agents/a.md': 'x' });
    const run = await createRun('r1');
    await opened.storage.inventory.register('billing', START_MS);
    const order = { from: FACTORY, to: 'billing', isHosted: false, at: START_MS };
    expect(await opened.storage.factoryNames.rename(order)).toEqual({ kind: 'ok' });
    expect(await filesOf(run)).toEqual({ 'agents/a.md': 'x' });
  });
});
