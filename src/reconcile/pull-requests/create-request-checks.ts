// Checks of pull requests. In: `pullRequestsHinted`, a poll, `reconciled`. Out: a report for each open request, sent by
// `outbound/notify/notifier.ts`. `request-watch.ts` is the loop of one factory, `list-open-requests.ts` asks the host,
// `check-request.ts` validates and plans the merged tree in a thread (`request-worker.ts`), `compose-comment.ts` writes the
// comment.

import type { Config, FactoryConfig } from '../../config/config.ts';
import type { PullRequestReader } from '../../domain/applies/pull-request.ts';
import type { Publish } from '../../domain/happenings.ts';
import type { Part } from '../../domain/part.ts';
import type { Inventory } from '../../domain/ports/inventory.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { scheduleCall } from '../../domain/time/schedule.ts';
import type { Registry } from '../../ingress/registry/registry.ts';
import { toRequestTarget } from '../../outbound/notify/create-notifier.ts';
import type { Notifier } from '../../outbound/notify/notifier.ts';
import { postOverHttp } from '../../outbound/notify/post-notice.ts';
import type { TargetFailure } from '../../outbound/outbox.ts';
import type { DataPaths } from '../../platform/data-dir/data-paths.ts';
import { requestMirrorFolder } from '../../platform/data-dir/factory-folders.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { readPackageVersion } from '../../platform/files/package-version.ts';
import { TaskThread } from '../../platform/threads/task-thread.ts';
import type { StorageThread } from '../../storage/thread/start-storage.ts';
import { VALIDATION_STEPS } from '../inspection/definitions-thread.ts';
import { pickPassedOn } from '../source/git-process.ts';
import { parseRepositoryUrl } from '../source/repository-url.ts';
import { parseFactoryFolder } from '../source/tree-names.ts';
import { type CheckOrder, describeSlowCheck, type RequestCheck } from './check-request.ts';
import { findRequestHint } from './find-request-hint.ts';
import { RequestWatch, type WatchedFactory } from './request-watch.ts';
import type { RequestHost, RequestTask } from './request-worker.ts';

/** A fetch, the reading of a tree, its validation and a backtest have less time together. */
const CHECK_TIMEOUT_MS = 240_000;
const IDLE_MS = 30_000;

interface RequestCheckParts {
  /** In effect when it is read. */
  config: Pick<Config, 'factories' | 'limits'>;
  paths: Pick<DataPaths, 'mirrors'>;
  env: Environment;
  notifier: Notifier;
  inventory: Pick<Inventory, 'status'>;
  secrets: Pick<SecretStore, 'resolve' | 'scopes'>;
  openChannel: StorageThread['openChannel'];
  registry: Pick<Registry, 'findByRef'>;
  publish: Publish;
  clock: Clock;
  logger: Logger;
}

/** Checks the pull requests of all factories that have the section `pullRequests`. */
export interface RequestChecks {
  part: Part<unknown>;
  reader: PullRequestReader;
  /** The hosts that cannot be asked. */
  failures(factory: string): TargetFailure[];
}

export function createRequestChecks(parts: RequestCheckParts): RequestChecks {
  /** Of the current term, or of the last one. */
  let thread = new RequestThread(parts);
  const check: RequestThread['check'] = (order, onTouched) => thread.check(order, onTouched);
  let watches = openWatches(parts, check, new Map());
  /** In which this daemon leads; `null` before the first one. */
  let leading: AbortSignal | null = null;
  const ended: Promise<void>[] = [];
  parts.notifier.followRequests((factory, report, post) => watches.get(factory)?.onPost(report, post));
  return {
    reader: { list: (factory) => watches.get(factory)?.list() ?? null },
    failures: (factory) => [watches.get(factory)?.failure ?? null].filter((failure) => failure !== null),
    part: {
      name: 'pull requests',
      lead: (term) => {
        leading = term;
        const ofTerm = new RequestThread(parts);
        thread = ofTerm;
        term.addEventListener('abort', () => void ofTerm.close(), { once: true });
        for (const watch of watches.values()) watch.start(term);
      },
      reload: () => {
        const before = watches;
        watches = openWatches(parts, check, before);
        for (const [name, watch] of before) if (watches.get(name) !== watch) ended.push(watch.stop());
        for (const [name, watch] of watches) if (leading !== null && before.get(name) !== watch) watch.start(leading);
      },
      stop: async () => {
        const stopped = [...watches.values()].map((watch) => watch.stop());
        await thread.close();
        await Promise.all([...stopped, ...ended]);
      },
      on: {
        deliveryRecorded: ({ entry, outcome }) => {
          const factory = findRequestHint(parts.registry, entry, outcome);
          if (factory !== null) parts.publish('pullRequestsHinted', { factory });
        },
        pullRequestsHinted: ({ factory }) => watches.get(factory)?.onHint(),
        reconciled: ({ factory }) => watches.get(factory)?.onReconciled(),
        secretChanged: ({ name }) => {
          for (const watch of watches.values()) watch.onSecretChanged(name);
        },
      },
    },
  };
}

/** A factory whose settings are the same keeps its watch. */
function openWatches(
  parts: RequestCheckParts,
  check: RequestThread['check'],
  before: ReadonlyMap<string, RequestWatch>,
): Map<string, RequestWatch> {
  const { notifier, inventory, secrets, publish, clock, logger } = parts;
  const watched = parts.config.factories.flatMap((factory) => describeWatched(factory) ?? []);
  return new Map(
    watched.map((factory) => {
      const known = before.get(factory.name);
      if (known !== undefined && JSON.stringify(known.factory) === JSON.stringify(factory))
        return [factory.name, known];
      const watch = new RequestWatch(factory, {
        notifier,
        inventory,
        secrets,
        post: postOverHttp,
        check,
        onChanged: (factory) => publish('pullRequestsChanged', { factory }),
        userAgent: `dockbell/${readPackageVersion()}`,
        schedule: scheduleCall,
        clock,
        logger,
      });
      return [factory.name, watch];
    }),
  );
}

/** `null` if nothing can be checked: the passes of the factory report why. */
function describeWatched({ name, source, pullRequests }: FactoryConfig): WatchedFactory | null {
  if (pullRequests === null || source.type !== 'repository') return null;
  const folder = parseFactoryFolder(source.path);
  if (!folder.ok || !parseRepositoryUrl(source.url).ok) return null;
  const { pollIntervalMs, backtest, reportUntouched } = pullRequests;
  return {
    name,
    target: toRequestTarget(pullRequests, source.branch),
    pollIntervalMs,
    hasBacktest: backtest,
    reportsUntouched: reportUntouched,
    prefix: folder.prefix,
  };
}

/** The thread that checks requests, one after another for all factories. */
class RequestThread {
  readonly #parts: RequestCheckParts;
  readonly #thread: TaskThread<RequestTask, RequestCheck>;
  /** Of the check in progress, by factory. */
  readonly #listeners = new Map<string, () => Promise<void>>();

  constructor(parts: RequestCheckParts) {
    this.#parts = parts;
    this.#thread = new TaskThread(builtFile('reconcile/pull-requests/request-worker.js'), {
      timeoutMs: CHECK_TIMEOUT_MS,
      steps: VALIDATION_STEPS,
      idleMs: IDLE_MS,
      host: this.#createHost(),
      openChannel: parts.openChannel,
      failure: 'the pull request could not be checked',
    });
  }

  async check(order: CheckOrder, onTouched: () => Promise<void>): Promise<RequestCheck> {
    const { config, paths, env } = this.#parts;
    const source = config.factories.find(({ name }) => name === order.factory)?.source;
    const parsed = source?.type === 'repository' ? parseRepositoryUrl(source.url) : null;
    if (parsed === null || !parsed.ok) return { outcome: 'unread', message: 'the factory has no repository any more' };
    this.#listeners.set(order.factory, onTouched);
    try {
      return await this.#thread.run({
        order,
        source: {
          location: parsed.location,
          branch: order.branch,
          mirrorDir: requestMirrorFolder(paths, order.factory),
          environment: pickPassedOn(env),
        },
        webhooksPerFactory: config.limits.webhooksPerFactory,
      });
    } catch (error) {
      return describeSlowCheck(error, order);
    } finally {
      this.#listeners.delete(order.factory);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** A finding about the value of a secret would reveal a little of it to everybody who can write a pull request. */
  #createHost(): RequestHost {
    const { secrets } = this.#parts;
    return {
      resolveSecret: async (name, user) => {
        const found = await secrets.resolve(name, user);
        return found.outcome === 'found' ? { outcome: 'found', version: found.version } : found;
      },
      secretScopes: secrets.scopes,
      checkSecret: async () => [],
      noteTouched: async (factory) => this.#listeners.get(factory)?.(),
    };
  }
}
