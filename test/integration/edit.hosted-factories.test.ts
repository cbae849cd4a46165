import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppError } from '../../src/domain/errors.ts';
import type { HostedSource } from '../../src/domain/ports/sources.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { tagWebhook } from '../../src/reconcile/edit/entity-tag.ts';
import { createFactoryEditor, type FactoryEditor } from '../../src/reconcile/edit/factory-editor.ts';
import type { NewWebhook } from '../../src/reconcile/edit/webhook-edits.ts';
import { createLiveSource } from '../../src/reconcile/source/live-source.ts';
import { createManagedSource } from '../../src/reconcile/source/managed-source.ts';
import type { SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { EDITOR } from '../helpers/build-apply.ts';
import { declareWebhook } from '../helpers/declare-webhook.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

type Host = (storage: SqliteStorage, dir: string) => HostedSource;
const MANAGED: Host = (_storage, dir) => createManagedSource(join(dir, 'managed.git'), process.env);
const LIVE: Host = (storage) => createLiveSource(storage.liveDefinitions, FACTORY);

const AUTHOR = { name: 'Ada', email: 'ada@example.com' };
const ORDER = { factory: FACTORY, actor: EDITOR, author: AUTHOR, ifMatch: null };
const OLD = 'the-old-secret-of-the-team';
const NEW = 'the-new-secret-of-the-team';

function want(name: string, more: Partial<NewWebhook> = {}): NewWebhook {
  return {
    ...declareWebhook(),
    name,
    secretName: null,
    secret: null,
    ...more,
  };
}

function selecting(webhook: string) {
  const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: [webhook] } };
  return { name: 'fix', automation: { triggers: [trigger], prompt: 'Fix it.\n' }, mustBeNew: true };
}

let world: ReconcileWorld;
let editor: FactoryEditor;

function openEditor(): FactoryEditor {
  return createFactoryEditor({
    loop: {
      edit: (_factory, edit) => world.reconciler.edit(edit),
      history: (_factory, page) => world.reconciler.history(page),
    },
    secrets: world.secrets,
    inventory: world.storage.inventoryReader,
    randomBytes,
  });
}

async function open(host: Host, sourceKey = 'ours'): Promise<void> {
  world = await createReconcileWorld({ host, sourceKey });
  editor = openEditor();
}

async function restart(change: Parameters<ReconcileWorld['restart']>[0] = {}): Promise<void> {
  world = await world.restart(change);
  editor = openEditor();
}

const find = async (name: string) =>
  (await world.storage.inventoryReader.webhooks(FACTORY)).find((it) => it.name === name);
const uidOf = async (name: string) => (await find(name))!.uid;
const automation = async () => (await world.storage.inventoryReader.automation(FACTORY, 'fix'))!;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was rejected',
    ({ code }: AppError) => code,
  );

describe('a live factory, as a managed one', () => describeEdits(LIVE));
// The source of a managed factory is tested by source.managed.test.ts.
describe('a managed factory, as a live one', { tags: 'full' }, () => describeEdits(MANAGED));

function describeEdits(host: Host): void {
  beforeEach(() => open(host));
  afterEach(() => world.close());

  it('starts empty, and is live', async () => {
    expect(await world.pass()).toMatchObject({ result: 'applied' });
    expect((await world.pass()).result).toBe('unchanged');
    expect(await world.storage.inventoryReader.webhooks(FACTORY)).toEqual([]);
  });

  it('accepts deliveries as soon as the webhook is created, with the secret that was shown', async () => {
    const shown = await editor.createWebhook(ORDER, want('ci'));
    expect(shown?.reveal()).toMatch(/^dbs_/);
    expect(world.accepts('ci', shown!.reveal())).toBe(true);
    expect(await find('ci')).toMatchObject({ secretName: 'CI_WEBHOOK_SECRET', secretState: 'current' });
    expect((await world.history())[0]).toMatchObject({
      result: 'applied',
      commit: { subject: expect.stringContaining('ci'), author: ORDER.author.name, url: null },
      plan: { webhooks: { create: [{ name: 'ci' }] } },
    });
  });

  it('is validated once for each edit, and the committed revision is neither fetched nor read', async () => {
    await world.pass();
    const read = vi.spyOn(world.hosted!, 'head');
    const fetched = vi.spyOn(world.hosted!, 'fetch');
    const readTree = vi.spyOn(world.hosted!, 'readTree');
    const before = world.validations;
    await editor.createWebhook(ORDER, want('ci'));
    await editor.changeWebhook(ORDER, (await find('ci'))!.uid, { description: 'Builds' });
    expect(await find('ci')).toMatchObject({ description: 'Builds' });
    expect([read.mock.calls.length, world.validations - before]).toEqual([2, 2]);
    expect([fetched.mock.calls.length, readTree.mock.calls.length]).toEqual([0, 0]);
  });

  it('ends the delays after passes that failed', async () => {
    const head = vi.spyOn(world.hosted!, 'head').mockRejectedValue(new Error('the disk is slow'));
    for (let pass = 0; pass < 3; pass += 1) await world.pass();
    head.mockRestore();
    await editor.createWebhook(ORDER, want('ci'));
    expect(world.timers.isPending).toBe(false);
    vi.spyOn(world.hosted!, 'head').mockRejectedValue(new Error('the disk is slow'));
    await world.pass();
    expect(world.timers.delaysMs).toEqual([5_000, 10_000, 20_000, 5_000]);
  });

  it('reads each secret once for an edit that stores none, and makes that value live', async () => {
    await world.put('SHARED', OLD);
    await editor.createWebhook(ORDER, want('ci', { secretName: 'SHARED' }));
    const calls: string[] = [];
    const note = <Args extends unknown[], Value>(name: string, call: (...args: Args) => Value) => {
      return (...args: Args) => {
        calls.push(name);
        return call(...args);
      };
    };
    await restart({
      wrapSecrets: (store) => ({
        ...store,
        resolve: note('resolve', store.resolve),
        open: note('open', store.open),
        list: note('list', store.list),
      }),
    });
    calls.length = 0;
    await editor.changeWebhook(ORDER, await uidOf('ci'), { description: 'Builds' });
    expect(calls).toEqual(['resolve']);
    expect(world.accepts('ci', OLD)).toBe(true);
    const { data } = await world.storage.reconciliationReader.list({ factory: FACTORY, limit: 1, cursor: null });
    expect((await find('ci'))!.revision).toBe(data[0]!.revision);
  });

  it('does not show the value of a secret that existed', async () => {
    await world.put('SHARED', OLD);
    expect(await editor.createWebhook(ORDER, want('ci', { secretName: 'SHARED' }))).toBeNull();
    expect(world.accepts('ci', OLD)).toBe(true);
  });

  it('stores nothing and commits nothing of an edit that is not valid', async () => {
    await world.pass();
    const head = await world.hosted!.head();
    const attempts = [
      editor.createWebhook(ORDER, want('a', { deliveryIdHeader: 'Authorization' })),
      editor.createWebhook(
        ORDER,
        want('b', { authMode: 'signature', signatureScheme: 'no-such', secret: new SecretValue('x') }),
      ),
      editor.createWebhook(ORDER, want('c', { authMode: 'signature', signatureScheme: 'svix' })),
      editor.writeAutomation(ORDER, selecting('nobody')),
    ];
    for (const attempt of attempts) expect(await codeOf(attempt)).toBe('definition_invalid');
    expect([await world.hosted!.head(), await world.secrets.list()]).toEqual([head, []]);
  });

  it('rejects an invalid secret before it is stored, and reports where it is used', async () => {
    await world.put('UNSAFE', 'not/url-safe');
    const attempt = editor.createWebhook(ORDER, want('a', { authMode: 'url_token', secretName: 'UNSAFE' }));
    await expect(attempt).rejects.toMatchObject({
      code: 'definition_invalid',
      details: { diagnostics: [expect.objectContaining({ rule: 'webhook/unsafe-secret', file: 'webhooks/a.yaml' })] },
    });
    const scheme = { authMode: 'signature', signatureScheme: 'standard_webhooks' } as const;
    const unusable = editor.createWebhook(ORDER, want('a', { ...scheme, secret: new SecretValue('whsec_%%%') }));
    expect(await codeOf(unusable)).toBe('definition_invalid');
    expect((await world.secrets.list()).map(({ name }) => name)).toEqual(['UNSAFE']);
  });

  it('rejects errors of the lint settings of the factory, also those that need the inventory', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const lint = 'schemaVersion: v1alpha1\nname: payments\nlint: { automation/unknown-uid: error }\n';
    const [from, at] = [await world.hosted!.head(), world.now];
    const files = [{ path: 'factory.yaml', text: lint }];
    await world.hosted!.commit({ from, files, author: AUTHOR, message: 'stricter', at });
    const trigger = {
      provider: 'webhook',
      event: 'received',
      filter: { webhook_ids: ['wh_0123456789abcdefghjkmnpqrs'] },
    };
    const automation = { triggers: [trigger], prompt: 'x' };
    expect(await codeOf(editor.writeAutomation(ORDER, { name: 'a', automation, mustBeNew: true }))).toBe(
      'definition_invalid',
    );
    expect((await world.pass()).result).toBe('unchanged');
  });

  it('disables and enables a webhook, which pins the newest value of its secret but of no other', async () => {
    await world.put('A', OLD);
    for (const name of ['a', 'b']) await editor.createWebhook(ORDER, want(name, { secretName: 'A' }));
    await world.put('A', NEW);
    await editor.changeWebhook(ORDER, await uidOf('a'), { enabled: false });
    expect(world.live('a')).toBeUndefined();
    await editor.changeWebhook(ORDER, await uidOf('a'), { enabled: true });
    expect([world.accepts('a', NEW), world.accepts('a', OLD)]).toEqual([true, false]);
    expect([world.accepts('b', NEW), world.accepts('b', OLD)]).toEqual([false, true]);
    expect([(await find('a'))?.secretState, (await find('b'))?.secretState]).toEqual(['current', 'outdated']);
  });

  it('continues with the pinned value of a deleted secret after other edits', async () => {
    await world.put('A', OLD);
    await editor.createWebhook(ORDER, want('a', { secretName: 'A' }));
    await world.secrets.delete('A', { force: true });
    await editor.createWebhook(ORDER, want('b'));
    expect(world.accepts('a', OLD)).toBe(true);
    expect(await codeOf(editor.changeWebhook(ORDER, await uidOf('a'), { description: 'x' }))).toBe(
      'definition_invalid',
    );
  });

  it('creates a webhook disabled whose provider issues the secret later, and enables it in the second step', async () => {
    const stripe = want('pay', { authMode: 'signature', signatureScheme: 'stripe' });
    expect(await editor.createWebhook(ORDER, stripe)).toBeNull();
    expect(await find('pay')).toMatchObject({ enabled: false, secretState: 'missing' });
    await restart();
    expect(await codeOf(editor.changeWebhook(ORDER, await uidOf('pay'), { enabled: true }))).toBe('definition_invalid');
    await editor.createWebhook(ORDER, want('other'));
    await editor.giveSecret(ORDER, await uidOf('pay'), new SecretValue('whsec_issued-by-the-provider'));
    expect(await find('pay')).toMatchObject({ enabled: true, secretState: 'current' });
    expect(world.live('pay')?.credential).toHaveProperty('verify');
    expect(await codeOf(editor.giveSecret(ORDER, await uidOf('pay'), new SecretValue('again')))).toBe('conflict');
  });

  it('deletes a webhook immediately; automations that select it are kept and refer to the deleted UID', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    await editor.writeAutomation(ORDER, selecting('ci'));
    const uid = await uidOf('ci');
    expect((await automation()).listensTo).toEqual([[uid]]);
    await editor.deleteWebhook(ORDER, uid);
    expect(world.live('ci')).toBeUndefined();
    expect((await automation()).listensTo).toEqual([[]]);
    expect((await automation()).warnings.map(({ message }) => message).join()).toContain(uid);
    expect(await codeOf(editor.deleteWebhook(ORDER, uid))).toBe('not_found');
  });

  it('gives a webhook that is created again with its name its earlier UID', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const uid = await uidOf('ci');
    await editor.deleteWebhook(ORDER, uid);
    const shown = await editor.createWebhook(ORDER, want('ci'));
    expect([await uidOf('ci'), world.accepts('ci', shown!.reveal())]).toEqual([uid, true]);
  });

  it('rejects existing names, for webhooks and automations', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    expect(await codeOf(editor.createWebhook(ORDER, want('ci')))).toBe('conflict');
    await editor.writeAutomation(ORDER, selecting('ci'));
    expect(await codeOf(editor.writeAutomation(ORDER, selecting('ci')))).toBe('conflict');
    expect((await world.secrets.list()).map(({ name }) => name)).toEqual(['CI_WEBHOOK_SECRET']);
  });

  it('loses no edit of two users: an edit of an older state is rejected', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const seen = tagWebhook((await find('ci'))!);
    const uid = await uidOf('ci');
    const outcomes = await Promise.all([
      codeOf(editor.changeWebhook({ ...ORDER, ifMatch: seen }, uid, { description: 'one' })),
      codeOf(editor.changeWebhook({ ...ORDER, ifMatch: seen }, uid, { description: 'two' })),
    ]);
    expect(outcomes).toEqual(['nothing was rejected', 'precondition_failed']);
    expect((await find('ci'))?.description).toBe('one');
    const now = tagWebhook((await find('ci'))!);
    await editor.changeWebhook({ ...ORDER, ifMatch: `"other", ${now}` }, uid, { description: 'two' });
    expect((await find('ci'))?.description).toBe('two');
  });

  it('executes concurrent edits one after another', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => editor.createWebhook(ORDER, want(name))));
    expect((await world.storage.inventoryReader.webhooks(FACTORY)).map(({ name }) => name)).toEqual(names);
  });

  it('makes live at the next start what was committed before a crash', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const files = [{ path: 'webhooks/ci.yaml', text: 'secretName: CI_WEBHOOK_SECRET\ndescription: after\n' }];
    const [from, at] = [await world.hosted!.head(), world.now];
    const committed = await world.hosted!.commit({ from, files, author: AUTHOR, message: 'and then the crash', at });
    await restart();
    expect((await find('ci'))?.description).toBeNull();
    expect(await world.pass()).toMatchObject({
      result: 'applied',
      revision: (committed as { revision: string }).revision,
    });
    expect((await find('ci'))?.description).toBe('after');
  });

  it('applies an edit after a commit from before a crash, and loses neither', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const files = [{ path: 'webhooks/late.yaml', text: 'secretName: CI_WEBHOOK_SECRET\n' }];
    await world.hosted!.commit({
      from: await world.hosted!.head(),
      files,
      author: AUTHOR,
      message: 'x',
      at: world.now,
    });
    await restart();
    await editor.createWebhook(ORDER, want('next'));
    const names = (await world.storage.inventoryReader.webhooks(FACTORY)).map(({ name }) => name);
    expect(names).toEqual(['ci', 'late', 'next']);
  });

  it('reports that a change is stored but not live if the apply fails, and applies it later', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    let isBroken = false;
    await restart({
      wrapInventory: (inventory) => ({
        ...inventory,
        apply: (change) => (isBroken ? Promise.reject(new Error('disk')) : inventory.apply(change)),
      }),
    });
    isBroken = true;
    expect(await codeOf(editor.changeWebhook(ORDER, await uidOf('ci'), { enabled: false }))).toBe('apply_failed');
    expect([(await find('ci'))?.enabled, world.timers.isPending]).toEqual([true, true]);
    isBroken = false;
    expect((await world.pass()).result).toBe('applied');
    expect((await find('ci'))?.enabled).toBe(false);
  });

  it('keeps UIDs and pinned secrets of a definition from another source', async () => {
    world.close();
    world = await createReconcileWorld({ sourceKey: 'a repository' });
    await world.put('A', OLD);
    const filter = '{ webhooks: [a], payload: { x: [1] } }';
    const trigger = `triggers: [{ provider: webhook, event: received, filter: ${filter} }, { provider: schedule, cron: x }]`;
    world.source.commit({
      'webhooks/a.yaml': 'secretName: A\ndeliveryIdHeader: X-Id\n',
      'webhooks/off.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: A\nenabled: false\n',
      'automations/fix/automation.md': `---\n${trigger}\nmodel: large\n---\nFix it.\n`,
    });
    expect((await world.pass()).result).toBe('applied');
    await world.put('A', NEW);
    const before = await world.storage.inventory.load(FACTORY);
    await restart({ host, sourceKey: 'ours' });
    const taken = await world.pass();
    const { webhooks, automations } = taken.plan;
    expect([webhooks, automations].map(({ create, update, delete: gone }) => [...create, ...update, ...gone])).toEqual([
      [],
      [],
    ]);
    const after = await world.storage.inventory.load(FACTORY);
    expect(after?.webhooks.map(({ uid, secretVersion }) => [uid, secretVersion])).toEqual(
      before?.webhooks.map(({ uid, secretVersion }) => [uid, secretVersion]),
    );
    expect(world.accepts('a', OLD)).toBe(true);
    expect((await world.pass()).result).toBe('unchanged');
  });

  it('does so again if its definition is older than that of another source', async () => {
    await editor.createWebhook(ORDER, want('old'));
    const inRepository = { 'webhooks/new.yaml': 'secretName: OLD_WEBHOOK_SECRET\n' };
    await restart({ host: () => null, sourceKey: 'a repository' });
    world.source.commit(inRepository);
    expect((await world.pass()).result).toBe('applied');
    await restart({ host, sourceKey: 'ours' });
    await world.pass();
    expect((await world.storage.inventoryReader.webhooks(FACTORY)).map(({ name }) => name)).toEqual(['new']);
  });
}

describe('a managed factory', () => {
  beforeEach(() => open(MANAGED));
  afterEach(() => world.close());

  it('shows the author of an edit, and reverts to an earlier revision with the same UIDs', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    await editor.writeAutomation(ORDER, selecting('ci'));
    const [uid, before] = [await uidOf('ci'), (await world.hosted!.head())!];
    await editor.deleteWebhook({ ...ORDER, author: { name: 'Bob', email: 'b@x' } }, uid);
    const { data } = await editor.history(FACTORY, { limit: 10, cursor: null });
    expect(data.map(({ author, message }) => [author.name, message])).toEqual([
      ['Bob', 'Delete the webhook ci'],
      ['Ada', 'Create the automation fix'],
      ['Ada', 'Create the webhook ci'],
      ['Dockbell', 'Initial revision'],
    ]);
    await editor.revert(ORDER, before);
    expect([await uidOf('ci'), (await automation()).listensTo]).toEqual([uid, [[uid]]]);
    expect(world.live('ci')).toBeDefined();
    expect(await codeOf(editor.revert(ORDER, 'f'.repeat(40)))).toBe('not_found');
    expect(await codeOf(editor.revert({ ...ORDER, ifMatch: '"x"' }, before))).toBe('precondition_failed');
  });

  it('keeps the comments of a user who edits with git', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const text = '# Ours.\nsecretName: CI_WEBHOOK_SECRET # kept\n';
    const from = await world.hosted!.head();
    await world.hosted!.commit({
      from,
      files: [{ path: 'webhooks/ci.yaml', text }],
      author: AUTHOR,
      message: 'x',
      at: 1,
    });
    await editor.changeWebhook(ORDER, await uidOf('ci'), { enabled: false });
    const read = await world.hosted!.readTree((await world.hosted!.head())!);
    const file = read.ok ? read.tree.entries.find(({ path }) => path === 'webhooks/ci.yaml') : null;
    expect(Buffer.from(file!.bytes!).toString()).toBe(`${text}enabled: false\n`);
  });

  it('keeps the form of an automation: a flat file stays one, and both forms never exist together', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const { name, automation: content } = selecting('ci');
    await world.hosted!.commit({
      from: await world.hosted!.head(),
      files: [
        { path: `automations/${name}.md`, text: '---\ntriggers:\n  - {provider: schedule, event: x}\n---\nOld.\n' },
      ],
      author: AUTHOR,
      message: 'x',
      at: 1,
    });
    const paths = async () => {
      const read = await world.hosted!.readTree((await world.hosted!.head())!);
      return read.ok ? read.tree.entries.map(({ path }) => path).filter((path) => path.startsWith('automations/')) : [];
    };
    expect(await editor.writeAutomation(ORDER, { name, automation: content, mustBeNew: false })).toBe(false);
    expect(await paths()).toEqual([`automations/${name}.md`]);
    expect((await automation()).file).toBe(`automations/${name}.md`);
    expect(await codeOf(editor.writeAutomation(ORDER, selecting('ci')))).toBe('conflict');
    await editor.deleteWebhook(ORDER, await uidOf('ci'));
    expect((await automation()).listensTo).toEqual([[]]);
    await editor.deleteAutomation(ORDER, name);
    expect(await paths()).toEqual([]);
  });

  it('renames no webhook and rotates no secret, and reports the action to take', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    const uid = await uidOf('ci');
    await expect(editor.changeWebhook(ORDER, uid, { name: 'x' })).rejects.toThrow(/keeps the name of its file/);
    await expect(editor.rotateSecret(ORDER, uid, null)).rejects.toThrow(/dockbell secret update CI_WEBHOOK_SECRET/);
  });
});

describe('a live factory', () => {
  beforeEach(() => open(LIVE));
  afterEach(() => world.close());

  it('renames a webhook: its UID, URL and automations stay', async () => {
    const shown = await editor.createWebhook(ORDER, want('ci'));
    await editor.writeAutomation(ORDER, selecting('ci'));
    const uid = await uidOf('ci');
    await editor.changeWebhook(ORDER, uid, { name: 'build', description: 'renamed' });
    expect([await uidOf('build'), await find('ci')]).toEqual([uid, undefined]);
    expect(world.accepts('build', shown!.reveal())).toBe(true);
    expect((await automation()).listensTo).toEqual([[uid]]);
    await editor.changeWebhook(ORDER, uid, { enabled: false });
    expect(await uidOf('build')).toBe(uid);
    await editor.createWebhook(ORDER, want('ci'));
    expect(await uidOf('ci')).not.toBe(uid);
  });

  it('does not give a renamed webhook the UID of an earlier webhook with the new name', async () => {
    for (const name of ['a', 'b']) await editor.createWebhook(ORDER, want(name));
    const [a, b] = [await uidOf('a'), await uidOf('b')];
    await editor.deleteWebhook(ORDER, b);
    await editor.changeWebhook(ORDER, a, { name: 'b' });
    expect(await uidOf('b')).toBe(a);
    expect(await codeOf(editor.deleteWebhook(ORDER, b))).toBe('not_found');
  });

  it('rotates: a new value is shown once, and the old one is rejected immediately', async () => {
    const before = (await editor.createWebhook(ORDER, want('ci')))!.reveal();
    const after = (await editor.rotateSecret(ORDER, await uidOf('ci'), null))!.reveal();
    expect([world.accepts('ci', before), world.accepts('ci', after)]).toEqual([false, true]);
  });

  it('rotates a signing secret to the value from the provider, which is required for some schemes', async () => {
    const github = { authMode: 'signature', signatureScheme: 'github' } as const;
    await editor.createWebhook(ORDER, want('gh', { ...github, secret: new SecretValue(OLD) }));
    const uid = await uidOf('gh');
    expect(await codeOf(editor.rotateSecret(ORDER, uid, null))).toBe('bad_request');
    expect(await editor.rotateSecret(ORDER, uid, new SecretValue(NEW))).toBeNull();
    expect((await find('gh'))?.secretVersion).toBe(2);
  });

  it('rotates no secret that others depend on', async () => {
    await world.put('SHARED', OLD);
    for (const name of ['a', 'b']) await editor.createWebhook(ORDER, want(name, { secretName: 'SHARED' }));
    expect(await codeOf(editor.rotateSecret(ORDER, await uidOf('a'), null))).toBe('conflict');
    expect(world.accepts('a', OLD)).toBe(true);
  });

  it('rotates no secret that an automation lists for its runs', async () => {
    await editor.createWebhook(ORDER, want('ci'));
    await world.secrets.put('CI_WEBHOOK_SECRET', null, 'update', { scope: { factories: [FACTORY], add: true } });
    const { name, automation: wanted, mustBeNew } = selecting('ci');
    const listing = { ...wanted, overrides: { secrets: ['CI_WEBHOOK_SECRET'] } };
    await editor.writeAutomation(ORDER, { name, automation: listing, mustBeNew });
    expect(await codeOf(editor.rotateSecret(ORDER, await uidOf('ci'), null))).toBe('conflict');
  });

  it('keeps no history', async () => {
    expect(await codeOf(editor.history(FACTORY, { limit: 1, cursor: null }))).toBe('conflict');
  });
});
