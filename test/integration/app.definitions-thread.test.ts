import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import { DefinitionsThread } from '../../src/inspection/definitions-thread.ts';
import { createTree } from '../helpers/definition-tree.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const BUILT = new URL('../../dist/inspection/definitions-worker.js', import.meta.url);
const CONTEXT = { webhooksPerFactory: 20, knownUids: new Map<string, string>() };
const GOOD = createTree({ 'webhooks/a.yaml': 'secretName: S\n' });

/** A worker that does with a tree what the path of its first file says. */
const OBEDIENT = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, request: { tree } }) => {
  const order = tree.entries[0].path;
  if (order === 'exit') process.exit(3);
  if (order === 'throw') throw new Error('out of order');
  if (order === 'loop') for (;;);
  if (order === 'steps') {
    const end = performance.now() + 800;
    for (let i = 0; performance.now() < end; i++) parentPort.postMessage({ step: 'webhooks/' + i + '.yaml' });
  }
  if (order === 'stuck') {
    for (const step of ['webhooks/a.yaml', 'webhooks/b.yaml']) parentPort.postMessage({ step });
    for (;;);
  }
  parentPort.postMessage({ id, value: { definition: null, diagnostics: [] } });
});
`;

function writeWorker(): URL {
  const file = join(createTempDir('worker'), 'worker.mjs');
  writeFileSync(file, OBEDIENT);
  return pathToFileURL(file);
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
    const broken = thread.validate(createTree({ [order]: '' }), CONTEXT);
    await expect(broken).rejects.toMatchObject({ code: 'internal', message: expect.stringMatching(message) });
    expect(await thread.validate(createTree({ fine: '' }), CONTEXT)).toEqual({ definition: null, diagnostics: [] });
  });

  it('that takes too long over one file makes the tree invalid and names the file', async () => {
    thread = new DefinitionsThread(writeWorker(), { fileMs: 300 });
    const slow = await thread.validate(createTree({ stuck: '' }), CONTEXT);
    expect(slow).toMatchObject({ definition: null, diagnostics: [{ rule: 'file/too-slow', file: 'webhooks/b.yaml' }] });
    expect(slow.diagnostics[0]!.message).toBe('The file could not be validated within 0.3 seconds.');
    expect(await thread.validate(createTree({ fine: '' }), CONTEXT)).toEqual({ definition: null, diagnostics: [] });
  });

  it('that takes too long over all files makes the tree invalid and names the last one', async () => {
    thread = new DefinitionsThread(writeWorker(), { treeMs: 300 });
    const slow = await thread.validate(createTree({ steps: '' }), CONTEXT);
    expect(slow.diagnostics).toMatchObject([
      {
        rule: 'file/too-slow',
        severity: 'error',
        file: expect.stringMatching(/^webhooks\/\d+\.yaml$/),
        message: expect.stringContaining('within 0.3 seconds'),
      },
    ]);
  });

  it('gives up real files that together take too long', async () => {
    const long = `secretName: S\ndescription: x\n${Array.from({ length: 12_000 }, (_, i) => `key${i}: [a, b]\n`).join('')}`;
    const files = Array.from({ length: 30 }, (_, i) => [`webhooks/${i}.yaml`, long]);
    thread = new DefinitionsThread(BUILT, { treeMs: 200 });
    const slow = await thread.validate(createTree(Object.fromEntries(files)), CONTEXT);
    expect(slow.diagnostics).toMatchObject([{ rule: 'file/too-slow', file: expect.stringMatching(/^webhooks\//) }]);
  });

  it('counts the time of a tree from its first file, not from its wait for another tree', async () => {
    thread = new DefinitionsThread(writeWorker(), { treeMs: 1_200 });
    const both = [
      thread.validate(createTree({ steps: '' }), CONTEXT),
      thread.validate(createTree({ steps: '' }), CONTEXT),
    ];
    expect(await Promise.all(both)).toEqual(both.map(() => ({ definition: null, diagnostics: [] })));
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
    const underWay = thread.validate(createTree({ loop: '' }), CONTEXT);
    const refused = expect(underWay).rejects.toMatchObject({ code: 'shutting_down' });
    await thread.close();
    await refused;
    await expect(thread.validate(GOOD, CONTEXT)).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
