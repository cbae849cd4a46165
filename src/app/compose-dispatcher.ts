import { randomBytes } from 'node:crypto';
import { createReportAccess } from '../api/runs/open-reports.ts';
import type { Config } from '../config/config.ts';
import type { RunId } from '../domain/ids.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import { signWebhook } from '../outbound/sign-webhook.ts';
import { createRedactingTransform } from '../platform/secrets/redactor.ts';
import type { RunLogs } from '../runs/executors/log/run-logs.ts';
import { createStartRecords } from '../runs/executors/start-records.ts';
import { createReportMask } from './create-report-mask.ts';
import { composeTerms, createExecutors, createRunDispatcher, reportEnds } from './create-run-dispatcher.ts';
import type { DaemonOptions } from './daemon.ts';
import type { DaemonObservers } from './observe-daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';
import type { OpenGroup } from './open-group.ts';
import { observeAll } from './open-tracing.ts';

/** Where commands are looked up if the daemon itself has no `PATH`. */
const DEFAULT_SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

/** What the dispatcher shares with other parts of the daemon, and the daemon with others. */
interface SharedParts extends Pick<OpenGroup, 'runGroup' | 'watchdog' | 'announce'> {
  secrets: SecretStore;
  runLogs: RunLogs;
}

/** Creates the executors of the configuration, and what gives them runs. Nothing is claimed before its start. */
export async function composeDispatcher(
  { config, env, paths, storage, clock, logger }: DaemonState,
  { metrics, tracing, sources, alerts, notifier }: DaemonObservers,
  { secrets, runLogs, runGroup, watchdog, announce }: SharedParts,
  options: Pick<DaemonOptions, 'openStartRecords' | 'onRunEnded'> & {
    /** Where the admin listener listens. Known when the first run starts. */
    adminUrl(): string;
  },
) {
  const startRecords = (options.openStartRecords ?? createStartRecords)(paths.startRecords);
  const executorParts = {
    runsDir: config.runsDir,
    openOutput: runLogs.openOutput,
    startRecords,
    watchdog,
    searchPath: env.PATH ?? DEFAULT_SEARCH_PATH,
    maskOutput: createRedactingTransform,
    secrets,
    signWebhook,
    openReports: createReportAccess({
      runTokens: storage.runTokens,
      adminUrl: () => config.admin.url ?? options.adminUrl(),
      randomBytes,
    }),
    clock,
    logger,
  };
  const openTerms = async ({ factories }: Pick<Config, 'factories'>) =>
    composeTerms(factories, await createExecutors(factories, executorParts, env));
  const onRunChanged = (run: RunId) => {
    sources.onRunChanged(run);
    notifier.offerRun(run);
    announce.runChanged(run);
  };
  const dispatcher = createRunDispatcher({
    terms: await openTerms(config),
    group: runGroup,
    onSlotFreed: announce.startable,
    storage,
    logs: runLogs.writer,
    observer: observeAll([metrics.runs, alerts.runs, ...(tracing === null ? [] : [tracing.runs])]),
    secrets,
    openMask: createReportMask({ config, runs: storage.runReader, secrets }),
    startRecords,
    onRunChanged: reportEnds(onRunChanged, storage.runReader, options.onRunEnded),
    clock,
    logger,
  });
  return { dispatcher, openTerms, startRecords };
}
