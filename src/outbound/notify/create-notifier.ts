// Commit statuses, results of runs, and checks of pull requests. In: `reconciled`, `runsChanged`, reports of
// `reconcile/pull-requests/`. Out: requests to git hosts and webhooks.
// Next: `notifier.ts` for what is reported and stored, `target-notifier.ts` for the outbox of one target, `post-notice.ts` for
// one request, `hosts/hosts.ts` for what differs between hosts.

import type { Config, FactoryConfig, PullRequestConfig } from '../../config/config.ts';
import type { ConfigChange } from '../../config/live-config.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { Part } from '../../domain/part.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { NotifyMetrics } from '../../domain/ports/metrics.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { scheduleCall } from '../../domain/time/schedule.ts';
import { readPackageVersion } from '../../platform/files/package-version.ts';
import { Notifier } from './notifier.ts';
import type { NotifyTarget } from './notify-target.ts';
import { postOverHttp } from './post-notice.ts';

interface CommitNotifierParts {
  config: Pick<Config, 'factories'>;
  storage: Pick<Storage, 'inventory' | 'noticeQueue' | 'runReader'>;
  secrets: SecretStore;
  metrics: NotifyMetrics;
  /** A notification that is due in a minute must not wait for a year because the clock was set back. */
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** Posts commit statuses and notifications to the targets of all configured factories. */
export function createNotifier(parts: CommitNotifierParts): { notifier: Notifier; part: Part<ConfigChange> } {
  const { config, storage, secrets, metrics, clock, ids, logger } = parts;
  const notifier = new Notifier({
    targets: collectTargets(config),
    inventory: storage.inventory,
    runs: storage.runReader,
    queue: storage.noticeQueue,
    secrets,
    post: postOverHttp,
    userAgent: `dockbell/${readPackageVersion()}`,
    schedule: scheduleCall,
    metrics,
    clock,
    ids,
    logger,
  });
  return { notifier, part: report(notifier) };
}

function report(notifier: Notifier): Part<ConfigChange> {
  return {
    name: 'notifications',
    lead: (term) => notifier.start(term),
    reload: ({ config }) => notifier.setTargets(collectTargets(config)),
    stop: ({ hurry }) => notifier.stop(hurry),
    on: {
      reconciled: (reconciliation) => notifier.offer(reconciliation),
      runsChanged: ({ runs }) => {
        if (runs === null) notifier.offerRecentRuns();
        else for (const run of runs) notifier.offerRun(run);
      },
      secretChanged: ({ name }) => notifier.onSecretChanged(name),
    },
  };
}

/** The targets of all factories, by factory. */
function collectTargets({ factories }: Pick<Config, 'factories'>): Map<string, NotifyTarget[]> {
  const targetsOf = ({ notify, pullRequests, runs, source }: FactoryConfig) => {
    const branch = source.type === 'repository' ? source.branch : 'main';
    return [
      ...notify.map((target) => ({ ...target, branch })),
      ...(pullRequests === null ? [] : listRequestTargets(pullRequests, branch)),
      ...runs.results.map(toResultTarget),
    ];
  };
  return new Map(factories.map((factory) => [factory.name, targetsOf(factory)]));
}

function listRequestTargets(section: PullRequestConfig, branch: string): NotifyTarget[] {
  const target = toRequestTarget(section, branch);
  const what = section.comment ? (['status', 'comment'] as const) : (['status'] as const);
  return what.map((requests) => ({ ...target, requests }));
}

/** The host of the pull requests of a factory, as the requests to it need it. */
export function toRequestTarget(section: PullRequestConfig, branch: string): NotifyTarget {
  const { type, url, repository, secretName, context, targetUrl, allowPrivateAddresses } = section;
  const place = { type, url, repository, secretName, context, targetUrl, allowPrivateAddresses };
  return { ...place, format: 'standard', branch, requests: 'list' };
}

function toResultTarget(result: FactoryConfig['runs']['results'][number]): NotifyTarget {
  const { type, url, secretName, context, targetUrl, allowPrivateAddresses } = result;
  const { post, repository, commit, number } = result;
  return {
    type,
    url,
    secretName,
    context,
    targetUrl,
    allowPrivateAddresses,
    repository: null,
    format: 'standard',
    branch: '',
    runs: type === 'webhook' ? 'callback' : { post, repository, commit, number },
  };
}
