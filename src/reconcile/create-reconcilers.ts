import { createHash } from 'node:crypto';
import type { FactoryConfig } from '../config/config.ts';
import { AppError } from '../domain/errors.ts';
import type { IdSource } from '../domain/ids.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type {
  FactoryControl,
  FactoryNames,
  ForgetOutcome,
  ReconcileControl,
  RenameOutcome,
  Serving,
} from '../domain/ports/definitions.ts';
import type { Inventory } from '../domain/ports/inventory.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { ReadLiveChange } from '../domain/ports/replicas.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { LiveDefinitions, Revision } from '../domain/ports/sources.ts';
import type { OnTimedPass } from '../domain/ports/tracing.ts';
import type { StoredTraceContext } from '../domain/telemetry/trace-context.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { Schedule } from '../domain/time/schedule.ts';
import type { DataPaths } from '../platform/data-dir/data-paths.ts';
import { type FactoryFolders, managedFolder, mirrorFolder } from '../platform/data-dir/factory-folders.ts';
import type { EditOutcome, FactoryEdit } from './edit-factory.ts';
import type { FactoryContext } from './factory-context.ts';
import { FactoryState } from './factory-state.ts';
import { type OnReconciled, Reconciler } from './reconciler.ts';
import type { RunGit } from './source/git-process.ts';
import { createGitSource } from './source/git-source.ts';
import { createLiveSource } from './source/live-source.ts';
import { createManagedSource } from './source/managed-source.ts';
import { createWorkTreeSource } from './source/work-tree-source.ts';

/** Where the definition of one factory comes from. */
type OpenedSource = Pick<FactoryContext, 'source' | 'hosted' | 'sourceKey'>;

export interface ReconcilerParts {
  factories: readonly FactoryConfig[];
  webhooksPerFactory: number;
  openSource(factory: FactoryConfig): OpenedSource;
  validate: FactoryContext['validate'];
  inventory: Inventory;
  names: FactoryNames;
  folders: FactoryFolders;
  secrets: SecretStore;
  serving: Serving;
  onReconciled: OnReconciled;
  onTimedPass: OnTimedPass;
  schedule: Schedule;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** The loops of all configured factories. */
export interface Reconcilers extends ReconcileControl, FactoryControl {
  start(): void;
  onSecretChanged(): void;
  /** The production branch of the factory may have moved. `trace` is that of the delivery which reported it. */
  onPush(factory: string, trace: StoredTraceContext | null): void;
  /** Changes the definition of a factory that the service hosts. */
  edit(factory: string, edit: FactoryEdit): Promise<EditOutcome>;
  /** The revisions of a hosted definition, newest first; `null` where its source keeps none. */
  history(factory: string, page: PageRequest): Promise<Page<Revision> | null>;
  /** Changes what the last pass of the factory applied, while no pass is running. */
  betweenPasses<T>(factory: string, work: () => Promise<T>): Promise<T>;
  /** Makes the applied definition of the factory live as the storage has it now. */
  serve(factory: string): Promise<void>;
  /** Makes live what other replicas changed, as the reconciler of the factory does. */
  follow(factory: string, read: ReadLiveChange): Promise<number>;
  /** At start: makes live what was applied last, so that the daemon serves while git cannot be reached. */
  serveAll(): Promise<void>;
  /** As `Reconciler.stop`. */
  stop(reason?: AppError): Promise<void>;
}

export function createReconcilers(parts: ReconcilerParts): Reconcilers {
  const byName = new Map(parts.factories.map((factory) => [factory.name, createReconciler(parts, factory)]));
  const all = [...byName.values()];
  const find = (factory: string) => {
    const reconciler = byName.get(factory);
    if (reconciler) return reconciler;
    throw new AppError('not_found', `The configuration names no factory ${factory}.`);
  };
  return {
    ...createFactoryControl(parts, byName),
    start: () => {
      void settleFolders(parts);
      for (const reconciler of all) reconciler.start();
    },
    reconcileNow: async (factory) => find(factory).reconcile(),
    edit: async (factory, edit) => find(factory).edit(edit),
    contains: async (factory, revision, earlier) => find(factory).contains(revision, earlier),
    history: async (factory, page) => find(factory).history(page),
    onSecretChanged: () => {
      for (const reconciler of all) reconciler.onSecretChanged();
    },
    onPush: (factory, trace) => byName.get(factory)?.onPush(trace),
    betweenPasses: (factory, work) => byName.get(factory)?.betweenPasses(work) ?? work(),
    serve: async (factory) => find(factory).serve(),
    follow: async (factory, read) => find(factory).follow(read),
    serveAll: async () => {
      for (const reconciler of all) await reconciler.open();
    },
    stop: async (reason) => void (await Promise.all(all.map((reconciler) => reconciler.stop(reason)))),
  };
}

/** Forgetting and renaming. Both are decided in one transaction, and the data directory follows. */
function createFactoryControl(parts: ReconcilerParts, byName: ReadonlyMap<string, Reconciler>): FactoryControl {
  const { names, folders, clock } = parts;
  const rejectConfigured = (factory: string, what: string) => {
    if (!byName.has(factory)) return;
    const first = `${what} it in dockbell.yaml and run 'dockbell reload' first`;
    throw new AppError('conflict', `The factory ${factory} is in the configuration: ${first}.`);
  };
  const settle = async () => {
    folders.onChange();
    await settleFolders(parts);
  };
  return {
    forget: async (factory) => {
      rejectConfigured(factory, 'remove');
      const outcome = await names.forget(factory, clock.wallMs());
      if (outcome.kind !== 'ok') throw describeUnforgotten(outcome);
      await settle();
      return { cancelledRuns: outcome.cancelledRuns };
    },
    rename: async (from, to) => {
      rejectConfigured(from, 'rename');
      const reconciler = byName.get(to);
      if (reconciler === undefined) throw describeUnconfiguredTarget(from, to);
      return reconciler.takeOver(async (isHosted) => {
        const outcome = await names.rename({ from, to, isHosted, at: clock.wallMs() });
        if (outcome.kind !== 'ok') throw describeUnrenamed(outcome, from, to);
        await settle();
      });
    },
  };
}

/** What fails is tried again before a repository is opened, and at the next start. */
async function settleFolders({ folders, logger }: Pick<ReconcilerParts, 'folders' | 'logger'>): Promise<void> {
  await folders.settle().catch((error) => logger.error({ err: error }, 'folders of a factory not changed'));
}

function describeUnforgotten(outcome: Exclude<ForgetOutcome, { kind: 'ok' }>): AppError {
  if (outcome.kind === 'unknown') return new AppError('not_found', 'There is no such factory.');
  const runs = outcome.count === 1 ? 'A run of the factory has' : `${outcome.count} runs of the factory have`;
  return new AppError('conflict', `${runs} not ended. Cancel them or wait, then forget the factory.`);
}

function describeUnconfiguredTarget(from: string, to: string): AppError {
  const message = `The configuration names no factory ${to}. Rename ${from} to ${to} in dockbell.yaml and run 'dockbell reload' first.`;
  return new AppError('conflict', message);
}

function describeUnrenamed(outcome: Exclude<RenameOutcome, { kind: 'ok' }>, from: string, to: string): AppError {
  if (outcome.kind === 'unknown') return new AppError('not_found', 'There is no such factory.');
  if (outcome.kind === 'defined') {
    const message = `The factory ${to} has a definition that only Dockbell stores, which would be lost.`;
    return new AppError('conflict', `${message} ${describeOtherName(from)}`);
  }
  const webhooks = outcome.webhooks.join(', ');
  const message = `Senders already use the new URLs of ${to} for ${webhooks}, which would end.`;
  const keep = `To keep the new URLs instead, forget ${from}.`;
  return new AppError('conflict', `${message} ${describeOtherName(from)} ${keep}`);
}

function describeOtherName(from: string): string {
  return `To keep the URLs of ${from}, give the factory a third name in dockbell.yaml, run 'dockbell reload', and rename ${from} to that name.`;
}

function createReconciler(parts: ReconcilerParts, factory: FactoryConfig): Reconciler {
  const { webhooksPerFactory, validate, inventory, secrets, serving, onTimedPass, clock, ids, logger } = parts;
  const context = {
    name: factory.name,
    ...parts.openSource(factory),
    hasExecutor: factory.runs.executor !== null,
    pushWebhook: factory.source.type === 'repository' ? factory.source.pushWebhook : null,
    state: new FactoryState(factory.name, inventory),
    inventory,
    secrets,
    validate,
    webhooksPerFactory,
    serving,
    onTimedPass,
    clock,
    ids,
    logger,
  };
  return new Reconciler(context, parts.schedule, parts.onReconciled);
}

export interface SourceParts {
  paths: Pick<DataPaths, 'mirrors' | 'managed'>;
  folders: Pick<FactoryFolders, 'settle'>;
  liveDefinitions: LiveDefinitions;
  /** From where git gets the few variables that it needs. */
  env: Readonly<Record<string, string | undefined>>;
  runGit: RunGit;
  /** Reads the files of a local repository as they are saved, not as they are committed. */
  readsWorkTrees: boolean;
}

/** Opens the source that the configuration of a factory names. */
export function openFactorySource(
  { paths, folders, liveDefinitions, env, runGit, readsWorkTrees }: SourceParts,
  factory: FactoryConfig,
): OpenedSource {
  const { name, source } = factory;
  const sourceKey = digestSource(factory, readsWorkTrees);
  if (source.type === 'repository') {
    const { url, branch, path, pollIntervalMs, allowedSigners } = source;
    if (readsWorkTrees) return { source: createWorkTreeSource({ dir: url, pollIntervalMs }), hosted: null, sourceKey };
    const mirrorDir = mirrorFolder(paths, name);
    const git = createGitSource({
      url,
      branch,
      path,
      allowedSigners,
      pollIntervalMs,
      mirrorDir,
      environment: env,
      runGit,
    });
    return { source: git, hosted: null, sourceKey };
  }
  const hosted =
    source.type === 'live'
      ? createLiveSource(liveDefinitions, name)
      : createManagedSource(managedFolder(paths, name), env, { run: runGit, settle: () => folders.settle(name) });
  return { source: hosted, hosted, sourceKey };
}

/** The URL may hold a password, so what is stored is a digest. */
function digestSource({ source }: FactoryConfig, readsWorkTrees: boolean): string {
  const commits = ({ branch, path, allowedSigners }: Extract<typeof source, { type: 'repository' }>) =>
    readsWorkTrees ? [] : [branch, path, ...(allowedSigners === null ? [] : [allowedSigners])];
  const place = source.type === 'repository' ? [source.url, ...commits(source)] : [source.type];
  return createHash('sha256').update(JSON.stringify(place)).digest('hex');
}
