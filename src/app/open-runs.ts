import { randomBytes } from 'node:crypto';
import { createReportAccess } from '../api/runs/open-reports.ts';
import type { Config } from '../config/config.ts';
import type { Part } from '../domain/part.ts';
import type { RunObserver } from '../domain/ports/run-control.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import { describeHalt, describeTrouble } from '../operations/health/live-conditions.ts';
import { observeAll } from '../operations/observability/tracing/open-tracing.ts';
import { signWebhook } from '../outbound/sign-webhook.ts';
import { createRedactingTransform } from '../platform/secrets/redactor.ts';
import { createReportMask } from '../runs/create-report-mask.ts';
import { composeTerms, createExecutors, createRunDispatcher, reportEnds } from '../runs/create-run-dispatcher.ts';
import type { Dispatcher } from '../runs/dispatcher.ts';
import { openRunLogs } from '../runs/executors/log/open-run-logs.ts';
import type { RunLogs } from '../runs/executors/log/run-logs.ts';
import { createStartRecords } from '../runs/executors/start-records.ts';
import type { RunWatchdog } from '../runs/executors/watchdog/run-watchdog.ts';
import type { Replicas } from '../storage/replicas/join-replicas.ts';
import type { DaemonOptions } from './daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';
import type { Reload } from './reload.ts';

/** Where commands are looked up if the daemon itself has no `PATH`. */
const DEFAULT_SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

interface RunsParts extends Pick<DaemonOptions, 'openStartRecords' | 'onRunEnded' | 'noNewRuns'> {
  replicas: Pick<Replicas, 'runGroup'>;
  watchdog: RunWatchdog;
  secrets: SecretStore;
  observers: readonly RunObserver[];
}

/** What executes runs: the executors of the configuration, and what gives them runs. Nothing is claimed before its start. */
export async function openRuns(state: DaemonState, given: RunsParts) {
  const { config, paths, storage, clock, parts, publish, logger } = state;
  const { secrets, replicas } = given;
  const { logs, part } = await openRunLogs({
    config,
    paths,
    parts: state.group.runLogParts,
    clock,
    logger,
  });
  parts.add(part);
  const startRecords = (given.openStartRecords ?? createStartRecords)(paths.startRecords);
  const openTerms = openExecutors(state, given, { logs, startRecords });
  const dispatcher = createRunDispatcher({
    terms: await openTerms(config),
    group: replicas.runGroup,
    onSlotFreed: (factory) => publish('slotFreed', { factory }),
    storage,
    logs: logs.writer,
    observer: observeAll(given.observers),
    secrets,
    openMask: createReportMask({ config, runs: storage.runReader, secrets }),
    startRecords,
    onRunChanged: reportEnds((run) => publish('runsChanged', { runs: [run] }), storage.runReader, given.onRunEnded),
    clock,
    logger,
  });
  return { dispatcher, openTerms, startRecords, logs, part: dispatchRuns(state, dispatcher, given) };
}

function openExecutors(
  { config, env, storage, addresses, clock, logger }: DaemonState,
  { watchdog, secrets }: RunsParts,
  { logs, startRecords }: { logs: RunLogs; startRecords: ReturnType<typeof createStartRecords> },
) {
  const executorParts = {
    runsDir: config.runsDir,
    openOutput: logs.openOutput,
    startRecords,
    watchdog,
    searchPath: env.PATH ?? DEFAULT_SEARCH_PATH,
    maskOutput: createRedactingTransform,
    secrets,
    signWebhook,
    openReports: createReportAccess({
      runTokens: storage.runTokens,
      adminUrl: () => config.admin.url ?? addresses.admin,
      randomBytes,
    }),
    clock,
    logger,
  };
  return async ({ factories }: Pick<Config, 'factories'>) =>
    composeTerms(factories, await createExecutors(factories, executorParts, env));
}

function dispatchRuns({ config, logger }: DaemonState, dispatcher: Dispatcher, { noNewRuns }: RunsParts): Part<Reload> {
  return {
    name: 'runs',
    // The recovery of the runs of this machine can take long: deliveries are accepted meanwhile.
    start: () => {
      if (noNewRuns) dispatcher.drain.drain();
      dispatcher.start().catch((error) => logger.error({ err: error }, 'recovering runs failed'));
    },
    lead: (term) => dispatcher.lead(term),
    conditions: (factory) => [...describeHalt(dispatcher, factory), ...describeTrouble(dispatcher, factory)],
    reload: ({ terms }) => dispatcher.setTerms(terms),
    stop: () => dispatcher.stop({ graceMs: config.shutdownGraceMs, why: 'the daemon stopped' }),
    on: {
      runsCreated: ({ factory, runs }) => dispatcher.onRunsCreated(factory, runs),
      cancelOrdered: ({ run }) => {
        dispatcher.followCancel(run).catch((error) => logger.warn({ err: error, run }, 'cancelling a run failed'));
      },
      messagesLost: () => dispatcher.wakeAll(),
    },
  };
}
