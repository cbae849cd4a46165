import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { DefinitionsThread } from '../../src/app/definitions-thread.ts';
import { createTree } from '../helpers/definition-tree.ts';
import { createTempDir } from '../helpers/test-daemon.ts';

const BUILT = new URL('../../dist/app/definitions-worker.js', import.meta.url);
const CONTEXT = { webhooksPerFactory: 20, knownUids: new Map<string, string>() };
const GOOD = createTree({ 'webhooks/a.yaml': 'secretName: S\n' });

/** A worker that does with a tree what the path of its first file says. */
const OBEDIENT = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, task: { tree } }) => {
  const order = tree.entries[0].path;
  if (order === 'exit') process.exit(3);
  if (order === 'throw') throw new Error('out of order');
  if (order === 'loop') for (;;);
  parentPort.postMessage({ id, result: { definition: null, diagnostics: [] } });
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
  ])('that %s fails what is under way, and the next call gets another', async (_title, order, message) => {
    thread = new DefinitionsThread(writeWorker(), 500);
    const broken = thread.validate(createTree({ [order]: '' }), CONTEXT);
    await expect(broken).rejects.toMatchObject({ code: 'internal', message: expect.stringMatching(message) });
    expect(await thread.validate(createTree({ fine: '' }), CONTEXT)).toEqual({ definition: null, diagnostics: [] });
  });

  it('ends at once when it is closed, and takes nothing more', async () => {
    thread = new DefinitionsThread(writeWorker());
    const underWay = thread.validate(createTree({ loop: '' }), CONTEXT);
    const refused = expect(underWay).rejects.toThrow('the daemon stops');
    await thread.close();
    await refused;
    await expect(thread.validate(GOOD, CONTEXT)).rejects.toThrow('the daemon stops');
  });
});
