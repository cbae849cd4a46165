import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createServing } from '../../src/ingress/registry/create-serving.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { builtFile } from '../../src/platform/files/package-files.ts';
import { createRedactor } from '../../src/platform/secrets/redactor.ts';
import { createSecretStore } from '../../src/platform/secrets/secret-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { startReconcileThread } from '../../src/reconcile/thread/start-reconcile-thread.ts';
import { type StorageThread, startStorage } from '../../src/storage/thread/start-storage.ts';
import { EDITOR } from '../helpers/build-apply.ts';
import { declareWebhook } from '../helpers/declare-webhook.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const WORKER = builtFile('reconcile/thread/worker.js');
const FACTORY = 'notes';

let thread: StorageThread;
let dir: string;
let registry: Registry;
let logged: [fields: Record<string, unknown>, message: string][];

beforeEach(async () => {
  dir = createTempDir('reconcile-thread');
  thread = await startStorage(builtFile('storage/sqlite/thread/worker.js'), { file: `${dir}/dockbell.db` });
  registry = new Registry();
  logged = [];
});
afterEach(() => thread.close());

function start(workerUrl: URL) {
  const log: Logger['error'] = (fields, message) => logged.push([fields, message]);
  const logger: Logger = { info: log, warn: log, error: log, child: () => logger };
  const table = thread.storage.sealedSecrets;
  const vault = createVault(Buffer.alloc(32, 1));
  const secrets = createSecretStore({
    table,
    vault,
    clock: systemClock,
    redactor: createRedactor(),
    notifyTargets: [],
    factories: [],
  });
  const source = { type: 'live' } as const;
  const runs = { executor: null };
  const reconciling = startReconcileThread({
    workerUrl,
    settings: {
      factories: [{ name: FACTORY, source, runs, notify: [] } as never],
      webhooksPerFactory: 20,
      paths: { mirrors: `${dir}/mirrors`, managed: `${dir}/managed` },
      env: process.env,
      readsWorkTrees: false,
    },
    openChannel: thread.openChannel,
    serving: createServing(thread.applyPacked, new LiveFactories(registry, () => null)),
    secrets,
    onReconciled: () => undefined,
    onTimedPass: () => undefined,
    logger,
  });
  return { ...reconciling, secrets };
}

const ORDER = { factory: FACTORY, actor: EDITOR, author: { name: 'Ada', email: 'ada@example.com' }, ifMatch: null };
const live = () => [...registry.current().webhooks.values()].map(({ name }) => name);

describe('the reconcile thread', () => {
  it('makes an edit live before the edit returns, and again after a start', async () => {
    const reconciling = start(WORKER);
    const shown = await reconciling.editor.createWebhook(ORDER, {
      ...declareWebhook(),
      name: 'ci',
      authMode: 'token',
      signatureScheme: null,
      secretName: null,
      secret: null,
    });
    expect(live()).toEqual(['ci']);
    const { credential } = [...registry.current().webhooks.values()][0]!;
    expect('accepts' in credential && credential.accepts(shown!.reveal(), { nowMs: Date.now() })).toBe(true);
    await expect(reconciling.editor.deleteWebhook(ORDER, 'wh_unknown')).rejects.toMatchObject({ code: 'not_found' });
    await reconciling.stop();

    registry = new Registry();
    const second = start(WORKER);
    await second.serveAll();
    expect(live()).toEqual(['ci']);
    await second.stop();
    await expect(second.editor.deleteWebhook(ORDER, 'wh_unknown')).rejects.toMatchObject({ code: 'shutting_down' });
    expect(logged).toEqual([]);
  });

  it('rejects what is in progress when it fails, logs why, and starts again', { tags: 'full' }, async () => {
    const failing = new URL(`data:text/javascript,setTimeout(() => { throw new Error('out of order'); }, 100)`);
    const reconciling = start(failing);
    await expect(reconciling.control.reconcileNow(FACTORY)).rejects.toMatchObject({ code: 'internal' });
    await eventually(async () => logged.length >= 2);
    expect(logged.map(([{ retryInMs }, message]) => [retryInMs, message])).toEqual([
      [1_000, 'reconcile thread failed'],
      [2_000, 'reconcile thread failed'],
    ]);
    expect(logged[0]![0].err).toMatchObject({ message: 'out of order' });
    await reconciling.stop();
  });

  it('starts once after a reload that it does not survive', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const openChannel = vi.spyOn(thread, 'openChannel');
    const fragile = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error(); });`;
    const reconciling = start(new URL(`data:text/javascript,${fragile}`));
    await reconciling.restart({ factories: [], webhooksPerFactory: 20 }, []);
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect([logged.length, openChannel.mock.calls.length]).toEqual([1, 2]);
    await reconciling.stop();
  });
});
