// `dockbell dev`: a daemon in this process, over a folder. In: saved files and keys. Out: what happens, on the terminal.
// Next: `dev-folder.ts` and `dev-secrets.ts` for its data, `dev-runs.ts` for what executes runs, `watch-daemon.ts` and
// `dev-view.ts` for what is printed, `dev-keys.ts` for keys.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Daemon } from '../../app/daemon.ts';
import { startDaemon } from '../../app/start-daemon.ts';
import type { Webhook } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { type ListQuery, listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { LIMIT_OPTIONS } from '../../config/options/limit-options.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { SecretHistory, SecretStore } from '../../domain/ports/secret-store.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import type { CommandSession } from '../command-session.ts';
import { connectDaemon } from '../connect-daemon.ts';
import { isServed } from '../connection.ts';
import { hasKeys, readKeys } from '../input/read-keys.ts';
import { createDevFolder, type DevFolder } from './dev-folder.ts';
import { DevKeys } from './dev-keys.ts';
import { chooseRuns, type DevRuns, type RunChoice } from './dev-runs.ts';
import { DevSecrets } from './dev-secrets.ts';
import { DevView } from './dev-view.ts';
import { watchDaemon } from './watch-daemon.ts';
import { WebhookChoice } from './webhook-choice.ts';

export interface DevRequest {
  session: CommandSession;
  /** Folder of the factory: absolute, without links. */
  dir: string;
  /** The folder as the user may name it; `''` for the working directory. */
  shownDir: string;
  /** The data directory to keep; `null` for a temporary one. */
  kept: string | null;
  choice: RunChoice;
  /** Values of secrets from a file. */
  variables: Readonly<Record<string, string | undefined>>;
  /** 0 for a free port. */
  ports: { ingress: number; admin: number };
  isVerbose: boolean;
  /** Ends the daemon. */
  stop: AbortSignal;
}

/** Runs a throwaway daemon over a folder, and prints what happens. Resolves with the exit code. */
export async function runDev(request: DevRequest): Promise<number> {
  const { session, dir, kept, choice, stop } = request;
  const { context } = session;
  const env = withoutDaemonSettings(context.env);
  const runs = await chooseRuns(dir, context.cwd, choice, env);
  const isShared = await isServed(dir);
  const folder = await createDevFolder(dir, kept, isShared);
  try {
    let secrets: DevSecrets | null = null;
    const daemon = await startDaemon({
      ...composeDaemon(request, runs, folder, env),
      beforeWork: async (store) => {
        secrets = createSecrets(request, runs.factory, store);
        await secrets.provide();
      },
    });
    const stopped = AbortSignal.any([stop, context.outputClosed]);
    const end = () => void daemon.stop();
    if (stopped.aborted) end();
    stopped.addEventListener('abort', end, { once: true });
    await followDaemon(request, { daemon, runs, folder, isShared, secrets: secrets!, stopped });
    return await daemon.exited;
  } finally {
    await folder.remove();
  }
}

/** Settings of a real daemon, such as its master key or its ports, are not for this one. */
function withoutDaemonSettings(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('DOCKBELL_')));
}

function composeDaemon(
  { dir, ports, isVerbose, session }: DevRequest,
  runs: DevRuns,
  folder: DevFolder,
  env: Environment,
) {
  const overrides: JsonObject = {
    ingress: { port: ports.ingress },
    admin: { port: ports.admin },
    log: { level: isVerbose ? 'info' : 'error' },
    // A run ends with the daemon: nobody waits for it.
    shutdownGrace: '1s',
    factories: [
      {
        name: runs.factory,
        source: { type: 'repository', url: dir, pollInterval: '5s' },
        runs: runs.runs,
      },
    ],
  };
  return {
    configFile: null,
    dataDir: folder.dataDir,
    overrides,
    readsWorkTrees: true,
    env,
    log: { format: 'text' as const, destination: session.context.stderr },
  };
}

function createSecrets(
  { dir, variables, session }: DevRequest,
  factory: string,
  store: SecretStore & SecretHistory,
): DevSecrets {
  return new DevSecrets({
    dir,
    factory,
    store,
    environment: session.context.env,
    file: variables,
    webhooksPerFactory: LIMIT_OPTIONS['limits.webhooksPerFactory'].default,
  });
}

interface RunningDev {
  daemon: Daemon;
  runs: DevRuns;
  folder: DevFolder;
  isShared: boolean;
  secrets: DevSecrets;
  /** The daemon got the signal to end. */
  stopped: AbortSignal;
}

/** Prints what happens until the daemon ends. */
async function followDaemon(request: DevRequest, running: RunningDev): Promise<void> {
  const { daemon, runs, folder, isShared, secrets, stopped } = running;
  const { session, dir, shownDir } = request;
  const token = (await readFile(join(folder.dataDir, 'admin-token'), 'utf8')).trim();
  const connection = { url: daemon.adminUrl, token };
  const client = await connectDaemon(connection);
  const ended = new AbortController();
  void daemon.exited.then(() => ended.abort());
  const choice = hasKeys(session.context) ? new WebhookChoice() : null;
  const listWebhooks = () => listAll(client.api, runs.factory);
  const view = new DevView({
    output: session.output,
    context: session.context,
    dir,
    // Commands find the daemon only in the folder, and only if no other daemon runs there.
    option: shownDir === '' && !isShared ? '' : ` --data-dir ${folder.dataDir}`,
    secrets,
    readLive: async () => {
      const params = { path: { factory: runs.factory } };
      const { counts, applied_revision } = await readAnswer(client.api.GET('/api/v1/factories/{factory}', { params }));
      return applied_revision === null ? null : { counts, webhooks: await listWebhooks() };
    },
    isDry: runs.shown === null,
    choice,
  });
  view.begin({ dir, executor: runs.shown, dashboard: await daemon.createStartLink() });
  if (choice !== null) {
    const keys = new DevKeys({ api: client.api, context: session.context, dir, listWebhooks, choice, view });
    const unless = AbortSignal.any([ended.signal, stopped]);
    readKeys(session.context, { onKey: (key) => keys.press(key), ended: unless });
  }
  try {
    await watchDaemon({
      connection,
      api: client.api,
      context: session.context,
      factory: runs.factory,
      secrets,
      view,
      stopped,
      ended: ended.signal,
    });
  } finally {
    client.close();
  }
}

async function listAll(api: ApiClient, factory: string): Promise<Webhook[]> {
  const readPage = (query: ListQuery) =>
    readAnswer(api.GET('/api/v1/factories/{factory}/webhooks', { params: { path: { factory }, query } }));
  return (await listRows(readPage, null)).data;
}
