import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { createIdSource } from '../../domain/ids.ts';
import type { ServedChange, Serving } from '../../domain/ports/definitions/serving.ts';
import type { LogFields, Logger } from '../../domain/ports/logger.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import { SecretValue } from '../../domain/secret-value.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { scheduleCall } from '../../domain/time/schedule.ts';
import { createFactoryFolders } from '../../operations/data-dir/factory-folders.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { pack } from '../../platform/threads/packed.ts';
import { PortLink } from '../../platform/threads/port-link.ts';
import { createIdleRelease } from '../../platform/threads/release-memory.ts';
import { lowerThreadPriority } from '../../platform/threads/thread-priority.ts';
import type { FactoryEditor } from '../../reconcile/edit/factory-editor.ts';
import { DefinitionsThread } from '../../reconcile/inspection/definitions-thread.ts';
import { startGitHost } from '../../reconcile/source/git-host.ts';
import { connectStorage } from '../../storage/thread/start-storage.ts';
import { openFactorySource } from '../create-reconcilers.ts';
import { type DefinitionModules, wireDefinitions } from '../wire-definitions.ts';
import {
  type CopiedEditor,
  type CopiedServedChange,
  copyLogFields,
  copySecret,
  HOST_OPERATIONS,
  type HostPorts,
  type LogLevel,
  type ReconcilePorts,
  type ReconcileSettings,
  restoreSecret,
} from './protocol.ts';

/**
 * The thread that turns commits and edits into live webhooks: it reads the sources, validates, plans and applies. The
 * thread that serves deliveries gets only what changed.
 */
lowerThreadPriority();
const settings = workerData as ReconcileSettings;
const definitions = new DefinitionsThread(builtFile('reconcile/inspection/definitions-worker.js'));
const git = startGitHost(builtFile('reconcile/source/git-host-process.js'));
const own = {} as ReconcilePorts;
const storage = connectStorage(settings.storage);
const afterWork = createIdleRelease();
const link = new PortLink<HostPorts>(parentPort!, own, HOST_OPERATIONS);
Object.assign(own, offerPorts(wire()));
afterWork();

function wire(): DefinitionModules {
  const { factories, webhooksPerFactory, paths, env, readsWorkTrees } = settings;
  const { inventory, inventoryReader, factoryNames: names, liveDefinitions } = storage;
  const folders = createFactoryFolders(names, paths);
  return wireDefinitions({
    factories,
    webhooksPerFactory,
    openSource: (factory) =>
      openFactorySource({ paths, folders, liveDefinitions, env, runGit: git.run, readsWorkTrees }, factory),
    validate: definitions.validate.bind(definitions),
    inventory,
    names,
    folders,
    inventoryReader,
    secrets: connectSecrets(),
    serving: connectServing(),
    onReconciled: (end) => {
      report(() => link.remote.reports.reconciled(end));
      if (end.result !== 'unchanged') afterWork();
    },
    onTimedPass: (pass) => report(() => link.remote.reports.timed(pass)),
    schedule: scheduleCall,
    clock: systemClock,
    ids: createIdSource(randomBytes),
    randomBytes,
    logger: createLogger({}),
  });
}

function offerPorts({ reconcilers, editor, adoptSecret }: DefinitionModules): ReconcilePorts {
  return {
    reconcilers: {
      ...reconcilers,
      follow: (factory, since) => reconcilers.follow(factory, () => storage.replicas.changesSince(factory, since)),
      // A reconciliation that waits for a slow definition must not delay the stop.
      stop: async () => {
        await Promise.all([definitions.close(), reconcilers.stop()]);
        git.close();
      },
    },
    editor: offerEditor(editor),
    adoption: { adopt: (webhook, value) => adoptSecret(webhook, new SecretValue(value)) },
  };
}

function offerEditor(editor: FactoryEditor): CopiedEditor {
  return {
    ...editor,
    createWebhook: async (order, { secret, ...webhook }) =>
      copySecret(await editor.createWebhook(order, { ...webhook, secret: restoreSecret(secret) })),
    rotateSecret: async (order, uid, given) => copySecret(await editor.rotateSecret(order, uid, restoreSecret(given))),
    giveSecret: (order, uid, value) => editor.giveSecret(order, uid, new SecretValue(value)),
  };
}

function connectServing(): Serving {
  const { serving } = link.remote;
  return {
    stage: serving.stage,
    apply: (change, served) => {
      const packed = pack(change);
      const request = { port: 'serving', operation: 'apply', args: [packed, copyServed(served)] };
      return link.call(request, [packed.packed.buffer]) as ReturnType<Serving['apply']>;
    },
    serve: (served) => serving.serve(copyServed(served)),
  };
}

function copyServed(served: ServedChange): CopiedServedChange {
  const webhooks = served.webhooks.map(({ webhook, secret, previousSecret, verifyToken }) => ({
    webhook,
    secret: copySecret(secret),
    previousSecret: copySecret(previousSecret),
    verifyToken: copySecret(verifyToken),
  }));
  return { ...served, webhooks };
}

function connectSecrets(): SecretStore {
  const { secrets } = link.remote;
  return {
    put: (name, value, mode, options) => secrets.put(name, copySecret(value), mode, options),
    delete: secrets.delete,
    list: secrets.list,
    find: secrets.find,
    resolve: async (name, user) => {
      const found = await secrets.resolve(name, user);
      return found.outcome === 'found' ? { ...found, value: new SecretValue(found.value) } : found;
    },
    scopes: secrets.scopes,
    open: async (name, version) => restoreSecret(await secrets.open(name, version)),
  };
}

/** The log is written by the thread that started this one. */
function createLogger(common: LogFields): Logger {
  const log = (level: LogLevel, fields: LogFields, message: string) =>
    report(() => link.remote.reports.log(level, copyLogFields({ ...common, ...fields }), message));
  return {
    info: (fields, message) => log('info', fields, message),
    warn: (fields, message) => log('warn', fields, message),
    error: (fields, message) => log('error', fields, message),
    child: (fields) => createLogger({ ...common, ...fields }),
  };
}

/** A report that the other thread could not take must not end this thread. */
function report(send: () => unknown): void {
  Promise.resolve(send()).catch(() => {});
}
