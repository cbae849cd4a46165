import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { createIdSource } from '../../domain/ids.ts';
import type { LogFields, Logger } from '../../domain/ports/logger.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { scheduleCall } from '../../domain/time/schedule.ts';
import { createFactoryFolders } from '../../platform/data-dir/factory-folders.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { pack } from '../../platform/threads/packed.ts';
import { createPortClient } from '../../platform/threads/port-client.ts';
import { PortLink } from '../../platform/threads/port-link.ts';
import { createIdleRelease } from '../../platform/threads/release-memory.ts';
import { lowerThreadPriority } from '../../platform/threads/thread-priority.ts';
import { connectStorage } from '../../storage/thread/start-storage.ts';
import { openFactorySource } from '../create-reconcilers.ts';
import { DefinitionsThread } from '../inspection/definitions-thread.ts';
import { startGitHost } from '../source/git-host.ts';
import { type DefinitionModules, wireDefinitions } from '../wire-definitions.ts';
import {
  HOST_OPERATIONS,
  type HostPorts,
  type LogLevel,
  type ReconcilePorts,
  type ReconcileSettings,
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
const link = new PortLink(parentPort!, own);
const host = createPortClient<HostPorts>(HOST_OPERATIONS, (request) => link.call(request));
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
    secrets: host.secrets,
    serving: { ...host.serving, apply: (change, served) => host.serving.apply(pack(change), served) },
    onReconciled: (end) => {
      report(() => host.reports.reconciled(end));
      if (end.result !== 'unchanged') afterWork();
    },
    onTimedPass: (pass) => report(() => host.reports.timed(pass)),
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
      stop: async (reason) => {
        await Promise.all([definitions.close(), reconcilers.stop(reason)]);
        git.close();
      },
    },
    editor,
    adoption: { adopt: adoptSecret },
  };
}

/** The log is written by the thread that started this one. */
function createLogger(common: LogFields): Logger {
  const log = (level: LogLevel, fields: LogFields, message: string) =>
    report(() => host.reports.log(level, { ...common, ...fields }, message));
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
