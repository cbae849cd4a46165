import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ValidatedTree } from '../../src/definitions/check/check-definition.ts';
import { FileResults } from '../../src/definitions/file-results.ts';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import { DefinitionsThread } from '../../src/reconcile/inspection/definitions-thread.ts';
import { createTree } from '../helpers/definition-tree.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const BUILT = new URL('../../dist/reconcile/inspection/definitions-worker.js', import.meta.url);
const CONTEXT = { webhooksPerFactory: 20, knownUids: new Map<string, string>() };
const GOOD = createTree({ 'webhooks/a.yaml': 'secretName: S\n' });

/** A worker that does what the name of the first webhook says, and otherwise reads every webhook as an empty one. */
const OBEDIENT = `
import { parentPort } from 'node:worker_threads';
const none = { listed: [], left: new Map(), undescribed: 0 };
const found = { findings: none, signatureFindings: none, lintFindings: none };
parentPort.on('message', ({ id, request: { files } }) => {
  const order = files[0].name;
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const begin = (name) => parentPort.postMessage({ step: { name, atMs: usedMs() } });
  if (order === 'exit') process.exit(3);
  if (order === 'throw') throw new Error('out of order');
  if (order === 'loop') for (;;);
  if (order === 'steps') {
    const end = usedMs() + 800;
    for (let i = 0; usedMs() < end; i++) {
      begin('webhooks/' + i + '.yaml');
      for (const next = usedMs() + 5; usedMs() < next; );
    }
  }
  if (order === 'waiting') {
    begin('webhooks/a.yaml');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  }
  if (order === 'stuck') {
    for (const step of ['webhooks/a.yaml', 'webhooks/b.yaml']) begin(step);
    for (;;);
  }
  const read = ({ path, digest }) => ({ kind: 'webhook', path, digest, definition: null, ...found });
  parentPort.postMessage({ id, value: files.map(({ entry }) => read(entry)) });
});
`;

function writeWorker(): URL {
  const file = join(createTempDir('worker'), 'worker.mjs');
  writeFileSync(file, OBEDIENT);
  return pathToFileURL(file);
}

/** A tree with one webhook, whose name is the order for the worker. */
function ask(order: string): Promise<ValidatedTree> {
  return thread.validate(createTree({ [`webhooks/${order}.yaml`]: '' }), CONTEXT);
}

let thread: DefinitionsThread;
afterEach(() => thread.close());

describe('the thread that reads definitions', () => {
  it('validates trees as the same function does here', async () => {
    thread = new DefinitionsThread(BUILT);
    const [good, bad] = await Promise.all([
      thread.validate(GOOD, CONTEXT),
      thread.validate(createTree({ 'webhooks/a.yaml': 'x: 1\n' }), CONTEXT),
    ]);
    expect(good.definition?.webhooks.map((webhook) => webhook.name)).toEqual(['a']);
    expect(bad.definition).toBeNull();
    expect(bad.diagnostics.length).toBeGreaterThan(0);
  });

  it.each([
    ['dies', 'exit', /its thread ended with 3/],
    ['throws', 'throw', /out of order/],
    ['takes too long', 'loop', /it took longer than 0.5 s/],
  ])('that %s fails the current calls, and the next call gets a new thread', async (_title, order, message) => {
    thread = new DefinitionsThread(writeWorker(), { timeoutMs: 500 });
    const broken = ask(order);
    await expect(broken).rejects.toMatchObject({ code: 'internal', message: expect.stringMatching(message) });
    expect(await ask('fine')).toMatchObject({ diagnostics: [] });
  });

  it('that takes too long over one file makes the tree invalid and names the file', async () => {
    thread = new DefinitionsThread(writeWorker(), { fileMs: 300 });
    const slow = await ask('stuck');
    expect(slow).toMatchObject({ definition: null, diagnostics: [{ rule: 'file/too-slow', file: 'webhooks/b.yaml' }] });
    expect(slow.diagnostics[0]!.message).toBe('To read this file takes more than 0.3 seconds of processor time.');
    expect(await ask('fine')).toMatchObject({ diagnostics: [] });
  });

  it('that gets no processor for longer than the limit is not slow', { tags: 'full' }, async () => {
    thread = new DefinitionsThread(writeWorker(), { fileMs: 300, treeMs: 300 });
    expect(await ask('waiting')).toMatchObject({ diagnostics: [] });
  });

  it('that takes too long over all files makes the tree invalid and names the last one', { tags: 'full' }, async () => {
    thread = new DefinitionsThread(writeWorker(), { treeMs: 300 });
    const slow = await ask('steps');
    expect(slow.diagnostics).toMatchObject([
      {
        rule: 'file/too-slow',
        severity: 'error',
        file: expect.stringMatching(/^webhooks\/\d+\.yaml$/),
        message: expect.stringContaining('more than 0.3 seconds'),
      },
    ]);
  });

  it('gives up real files that together take too long', { tags: 'full' }, async () => {
    const long = `secretName: S\ndescription: x\n${Array.from({ length: 12_000 }, (_, i) => `key${i}: [a, b]\n`).join('')}`;
    const files = Array.from({ length: 30 }, (_, i) => [`webhooks/${i}.yaml`, long]);
    thread = new DefinitionsThread(BUILT, { treeMs: 200 });
    const slow = await thread.validate(createTree(Object.fromEntries(files)), CONTEXT);
    expect(slow.diagnostics).toMatchObject([{ rule: 'file/too-slow', file: expect.stringMatching(/^webhooks\//) }]);
  });

  it('counts the time of a tree from its first file, not from its wait for another tree', {
    tags: 'full',
  }, async () => {
    thread = new DefinitionsThread(writeWorker(), { treeMs: 1_200 });
    const both = [ask('steps'), ask('steps')];
    expect(await Promise.all(both)).toMatchObject(both.map(() => ({ diagnostics: [] })));
  });

  it('reads only files whose results are not kept', async () => {
    thread = new DefinitionsThread(BUILT);
    const results = new FileResults();
    const files = { 'webhooks/a.yaml': 'secretName: A\n', 'webhooks/b.yaml': 'secretName: B\n' };
    const before = await thread.validate(createTree(files), CONTEXT, results);
    const changed = { ...files, 'webhooks/b.yaml': 'secretName: C\n' };
    const after = await thread.validate(createTree(changed), CONTEXT, results);
    const [a, b] = after.definition!.webhooks;
    expect(a).toBe(before.definition!.webhooks[0]);
    expect(b!.secretName).toBe('C');
    expect(after).toEqual(validateTree(createTree(changed), CONTEXT));
  });

  it('names each file that it reads', async () => {
    const read: string[] = [];
    const tree = createTree({
      'factory.yaml': 'name: f\n',
      'webhooks/a.yaml': 'secretName: S\n',
      'webhooks/a.samples/x.json': '{}',
    });
    const { files } = validateTree(tree, CONTEXT, (file) => read.push(file));
    expect([...read].sort()).toEqual([...files].sort());
    thread = new DefinitionsThread(BUILT);
  });

  it('ends immediately when it is closed, and accepts no more calls', async () => {
    thread = new DefinitionsThread(writeWorker());
    const underWay = ask('loop');
    const refused = expect(underWay).rejects.toMatchObject({ code: 'shutting_down' });
    await thread.close();
    await refused;
    await expect(thread.validate(GOOD, CONTEXT)).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
