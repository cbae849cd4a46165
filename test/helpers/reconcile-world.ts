import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { PlanPreview } from '../../src/domain/applies/plan-preview.ts';
import type { Reconciliation, ReconciliationEnd } from '../../src/domain/applies/reconciliation.ts';
import { createIdSource } from '../../src/domain/ids.ts';
import type { Serving } from '../../src/domain/ports/definitions.ts';
import type { Inventory } from '../../src/domain/ports/inventory.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import type { SecretStore } from '../../src/domain/ports/secret-store.ts';
import type { DefinitionSource, HostedSource, SourceFailure } from '../../src/domain/ports/sources.ts';
import type { TimedPass } from '../../src/domain/ports/tracing.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { createServing } from '../../src/ingress/registry/create-serving.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import type { LiveWebhook } from '../../src/ingress/registry/live-webhook.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { createRedactor } from '../../src/platform/secrets/redactor.ts';
import { createSecretStore } from '../../src/platform/secrets/secret-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import type { FactoryContext } from '../../src/reconcile/factory-context.ts';
import { FactoryState } from '../../src/reconcile/factory-state.ts';
import { DEFAULT_BOUNDS } from '../../src/reconcile/plan/backtest.ts';
import { previewPlan } from '../../src/reconcile/preview-plan.ts';
import { Reconciler } from '../../src/reconcile/reconciler.ts';
import { openSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { createTree } from './definition-tree.ts';
import { createDatabaseFile } from './new-database.ts';
import { validateHere } from './validate-here.ts';

export const FACTORY = 'payments';

type Files = Record<string, string>;
type Failure = { reason: SourceFailure; message: string; revision?: string };

/** A repository in memory. The test moves, breaks and blocks its branch. */
export interface ScriptedSource extends DefinitionSource {
  /** Moves the branch to a new commit with these files. Returns its ID. */
  commit(files: Files): string;
  /** Moves the branch to an existing commit, as a force-push does. */
  moveTo(revision: string): void;
  /** Sets the result of `fetch` until the branch moves or `recover` is called. */
  fail(failure: Failure): void;
  recover(): void;
  failTree(failure: Failure | null): void;
  /** Notifies the watcher that the branch may have moved. */
  reportChange(): void;
  /** Blocks every further fetch until the returned function is called. */
  hold(): () => void;
  fetches: number;
  isClosed: boolean;
  /** Replaces the fetch if set. */
  throwOnFetch: Error | null;
}

export function createScriptedSource(): ScriptedSource {
  const commits = new Map<string, Files>();
  let tip: string | null = null;
  let failure: Failure | null = null;
  let treeFailure: Failure | null = null;
  let onChange = () => {};
  let gate: Promise<void> = Promise.resolve();
  const source: ScriptedSource = {
    fetches: 0,
    isClosed: false,
    throwOnFetch: null,
    commit: (files) => {
      tip = (commits.size + 1).toString(16).padStart(40, '0');
      commits.set(tip, files);
      failure = null;
      return tip;
    },
    moveTo: (revision) => {
      tip = revision;
      failure = null;
    },
    fail: (reason) => {
      failure = reason;
    },
    recover: () => {
      failure = null;
    },
    failTree: (reason) => {
      treeFailure = reason;
    },
    reportChange: () => onChange(),
    hold: () => {
      let release!: () => void;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    fetch: async () => {
      source.fetches += 1;
      await gate;
      if (source.throwOnFetch) throw source.throwOnFetch;
      if (source.isClosed) return { ok: false, reason: 'RepositoryUnreachable', message: 'The source is closed.' };
      if (failure) return { ok: false, ...failure };
      return tip === null
        ? { ok: false, reason: 'BranchMissing', message: 'There is no branch main.' }
        : { ok: true, revision: tip };
    },
    readTree: async (revision) =>
      treeFailure ? { ok: false, ...treeFailure } : { ok: true, tree: createTree(commits.get(revision)!) },
    describe: async (revision) => ({ subject: `Change ${revision}`, author: 'Ann', committedAt: 1000, url: null }),
    contains: async (revision, earlier) => {
      const known = [...commits.keys()];
      return known.includes(earlier) && known.indexOf(earlier) <= known.indexOf(revision) ? 'yes' : 'no';
    },
    watch: (callback) => {
      onChange = callback;
    },
    close: async () => {
      source.isClosed = true;
    },
  };
  return source;
}

/** Timers that the test runs. */
export class FakeSchedule {
  readonly delaysMs: number[] = [];
  #due: (() => void) | null = null;

  readonly schedule = (delayMs: number, callback: () => void) => {
    this.delaysMs.push(delayMs);
    this.#due = callback;
    return () => {
      if (this.#due === callback) this.#due = null;
    };
  };

  get isPending(): boolean {
    return this.#due !== null;
  }

  /** Runs the waiting timers. */
  fire(): void {
    const due = this.#due;
    this.#due = null;
    due?.();
  }
}

/** All parts of one factory's loop except git and HTTP: real storage in a file, real secrets, real registry. */
export interface ReconcileWorld {
  source: ScriptedSource;
  storage: SqliteStorage;
  /** Stored values notify the loop as in the daemon. */
  secrets: SecretStore;
  registry: Registry;
  /** `null` unless `host` created one. */
  hosted: HostedSource | null;
  timers: FakeSchedule;
  reconciler: Reconciler;
  /** Errors that the loop logged. */
  logged: { fields: Record<string, unknown>; message: string }[];
  warned: ReconcileWorld['logged'];
  ended: ReconciliationEnd[];
  /** The measured passes. */
  timed: TimedPass[];
  /** Wall time in milliseconds. Each reading increases it by one. */
  now: number;
  validations: number;
  put(name: string, value: string): Promise<void>;
  /** A full pass on request. When it resolves, a retry is planned. */
  pass(): Promise<Reconciliation>;
  /** The result of `POST /plan`. */
  preview(files: Files): Promise<PlanPreview>;
  live(name: string): LiveWebhook | undefined;
  /** Whether the webhook currently accepts this credential. */
  accepts(name: string, credential: string): boolean;
  history(): Promise<Reconciliation[]>;
  /** Another daemon on the same storage and repository. */
  restart(change?: WorldOptions): Promise<ReconcileWorld>;
  close(): void;
}

export interface WorldOptions {
  /** A hosted source instead of the scripted repository. */
  host?: (storage: SqliteStorage, dir: string) => HostedSource | null;
  sourceKey?: string;
  hasExecutor?: boolean;
  pushWebhook?: string;
  validate?: FactoryContext['validate'];
  /** Wraps the inventory of the loop. */
  wrapInventory?: (inventory: Inventory) => Inventory;
  wrapSecrets?: (secrets: SecretStore) => SecretStore;
  wrapServing?: (serving: Serving) => Serving;
}

export async function createReconcileWorld(options: WorldOptions = {}): Promise<ReconcileWorld> {
  const file = join(mkdtempSync(join(tmpdir(), 'dockbell-reconcile-')), 'dockbell.db');
  return openWorld(file, createScriptedSource(), randomBytes(32), 1_000, options);
}

async function openWorld(
  file: string,
  source: ScriptedSource,
  key: Uint8Array,
  startMs: number,
  options: WorldOptions,
): Promise<ReconcileWorld> {
  createDatabaseFile(file);
  const storage = openSqliteStorage(file);
  const clock: Clock = { wallMs: () => ++world.now, monotonicMs: () => world.now };
  const hosted = options.host?.(storage, dirname(file)) ?? null;
  const registry = new Registry();
  const logged: ReconcileWorld['logged'] = [];
  const warned: ReconcileWorld['logged'] = [];
  const logger = createCollector(logged, warned);
  const store = createSecretStore({
    table: storage.sealedSecrets,
    vault: createVault(key),
    clock,
    redactor: createRedactor(),
    notifyTargets: [],
    factories: [FACTORY],
  });
  const { wrapInventory = (same) => same, wrapSecrets = (same) => same, wrapServing = (same) => same } = options;
  const inventory = wrapInventory(storage.inventory);
  const timers = new FakeSchedule();
  const ended: ReconciliationEnd[] = [];
  const timed: TimedPass[] = [];
  const context: FactoryContext = {
    name: FACTORY,
    source: hosted ?? source,
    hosted,
    sourceKey: options.sourceKey ?? 'main .',
    hasExecutor: options.hasExecutor ?? true,
    onTimedPass: (pass) => timed.push(pass),
    pushWebhook: options.pushWebhook ?? null,
    state: new FactoryState(FACTORY, inventory),
    inventory,
    secrets: wrapSecrets(store),
    validate: (tree, validation, results) => {
      world.validations += 1;
      return (options.validate ?? validateHere)(tree, validation, results);
    },
    webhooksPerFactory: 20,
    serving: wrapServing(createServing(inventory.apply, new LiveFactories(registry, () => null))),
    clock,
    ids: createIdSource(randomBytes),
    logger,
  };
  const reconciler = new Reconciler(context, timers.schedule, (reconciliation) => ended.push(reconciliation));
  const live = (name: string) => [...registry.current().webhooks.values()].find((webhook) => webhook.name === name);
  const world: ReconcileWorld = {
    source,
    storage,
    secrets: store,
    registry,
    hosted,
    timers,
    reconciler,
    logged,
    warned,
    ended,
    timed,
    now: startMs,
    validations: 0,
    live,
    put: async (name, value) => {
      await store.put(name, new SecretValue(value), 'put');
      reconciler.onSecretChanged();
    },
    pass: async () => {
      try {
        return await reconciler.reconcile();
      } finally {
        await setImmediate();
      }
    },
    preview: (files) =>
      previewPlan(
        { ...context, hostOf: () => hosted, payloads: storage.storedPayloads, bounds: DEFAULT_BOUNDS },
        { factory: FACTORY, tree: createTree(files), mayCheckSecrets: true },
      ),
    accepts: (name, credential) => {
      const found = live(name)?.credential;
      return found !== undefined && 'accepts' in found && found.accepts(credential, { nowMs: clock.wallMs() });
    },
    history: async () => (await storage.reconciliationReader.list({ factory: FACTORY, limit: 100, cursor: null })).data,
    restart: async (change = {}) => {
      storage.close();
      source.isClosed = false;
      return openWorld(file, source, key, world.now, { ...options, ...change });
    },
    close: () => {
      storage.close();
      rmSync(dirname(file), { recursive: true, force: true });
    },
  };
  await reconciler.serve();
  return world;
}

function createCollector(logged: ReconcileWorld['logged'], warned: ReconcileWorld['logged']): Logger {
  const logger: Logger = {
    info: () => {},
    warn: (fields, message) => warned.push({ fields, message }),
    error: (fields, message) => logged.push({ fields, message }),
    child: () => logger,
  };
  return logger;
}
