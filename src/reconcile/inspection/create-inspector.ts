// Questions that take processor time, answered in threads. In: plans, backtests, filter tests of people. Out: answers; nothing
// is written. `inspection-worker.ts` answers by `inspection.ts`. `definitions-thread.ts` is another thread, for the files of
// passes.

import { checkSecretForWebhook } from '../../definitions/check/check-secret.ts';
import type { CollectedKey } from '../../definitions/filter/collect-keys.ts';
import type { FilterResult } from '../../definitions/filter/evaluate-filters.ts';
import type { FiltersByWebhook } from '../../definitions/filter/find-unseen-keys.ts';
import type { FilterPath } from '../../definitions/filter/key-sightings.ts';
import type { ListenerDecision } from '../../definitions/filter/listeners/decide-listener.ts';
import type { AnyFilter } from '../../definitions/filter/parse-filter.ts';
import type { PlanPreview, PlanPreviewer } from '../../domain/applies/plan-preview.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { Backtester } from '../../domain/ports/delivery-control.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import type { PastListener } from '../../domain/resources/delivery.ts';
import { TaskThread } from '../../platform/threads/task-thread.ts';
import type { StorageThread } from '../../storage/thread/start-storage.ts';
import { describeSlowness, VALIDATION_STEPS } from './definitions-thread.ts';
import type { Inspection, InspectionHost, TriedDelivery } from './inspection.ts';

/** A plan validates a tree for up to a minute and then reads payloads for ten seconds. */
const LONG_TIMEOUT_MS = 75_000;
/** The largest payloads take some hundred milliseconds. */
const SHORT_TIMEOUT_MS = 30_000;
const IDLE_MS = 60_000;
/** People ask one question after the other; each that waits holds its body. */
const MAX_WAITING = 8;

/** Questions about filters and payloads. Each throws `too_many_requests` while too many others wait. */
export interface Inspector {
  /** Throws `invalid_filter`. */
  evaluateFilter(filter: AnyFilter, delivery: TriedDelivery): Promise<FilterResult>;
  /** @param webhook that received the delivery; `null` counts the triggers of all webhooks */
  evaluateAutomation(
    automation: AppliedAutomation,
    webhook: WebhookUid | null,
    delivery: TriedDelivery,
  ): Promise<FilterResult>;
  /** The decision for each automation, in the same order. */
  decideListeners(listeners: readonly PastListener[], delivery: TriedDelivery): Promise<ListenerDecision[]>;
  /** The keys of the most recent stored payloads, and the number of payloads examined. */
  collectKeys(webhook: WebhookUid): Promise<{ examined: number; keys: CollectedKey[] }>;
  /** The keys of these filters that no recent stored payload had, and the number of payloads examined. */
  findUnseenKeys(filters: FiltersByWebhook): Promise<{ examined: number; paths: FilterPath[] }>;
}

interface InspectorParts {
  /** In effect when it is read. */
  config: {
    readonly factories: readonly { name: string; source: { type: 'repository' | 'managed' | 'live' } }[];
    readonly limits: { webhooksPerFactory: number };
  };
  /** Payloads and inventories do not pass through this thread. */
  openChannel: StorageThread['openChannel'];
  secrets: Pick<SecretStore, 'resolve' | 'scopes'>;
}

/** Everything that readers ask and that takes processor time, outside of the thread that takes deliveries. */
export interface InspectionThreads {
  planPreviewer: PlanPreviewer;
  backtester: Backtester;
  inspector: Inspector;
  close(): Promise<void>;
}

/**
 * One thread for plans and backtests, which take seconds, and one for the questions that the dashboard asks while
 * somebody types. Each answers one question at a time; beyond a bounded queue they are `too_many_requests`.
 *
 * @param workerUrl the built `inspection-worker.js`
 */
export function createInspector(workerUrl: URL, parts: InspectorParts): InspectionThreads {
  const host = createHost(parts);
  const [long, short] = [LONG_TIMEOUT_MS, SHORT_TIMEOUT_MS].map((timeoutMs) => {
    const thread = new TaskThread<Inspection, unknown>(workerUrl, {
      timeoutMs,
      host,
      openChannel: parts.openChannel,
      idleMs: IDLE_MS,
      steps: VALIDATION_STEPS,
      maxWaiting: MAX_WAITING,
      tooMany: 'Too many plans, backtests or filter tests are in progress.',
      failure: 'the question could not be answered',
    });
    return { thread, ask: <Answer>(task: Inspection) => thread.run(task) as Promise<Answer> };
  }) as [InspectionThread, InspectionThread];
  return {
    planPreviewer: {
      preview: async (factory, tree, mayCheckSecrets) => {
        const { factories, limits } = parts.config;
        const type = factories.find(({ name }) => name === factory)?.source.type ?? 'repository';
        const hosted = type === 'repository' ? null : { keepsUids: type === 'live' };
        const order = { factory, tree, mayCheckSecrets };
        try {
          return await long.ask<PlanPreview>({
            kind: 'plan',
            order,
            hosted,
            webhooksPerFactory: limits.webhooksPerFactory,
          });
        } catch (error) {
          return { valid: false, diagnostics: describeSlowness(error).diagnostics };
        }
      },
    },
    backtester: {
      backtest: (factory, automation, triggers) =>
        long.ask({ kind: 'backtest', trial: { factory, automation, triggers } }),
    },
    inspector: {
      evaluateFilter: (filter, delivery) => short.ask({ kind: 'filter', filter, delivery }),
      evaluateAutomation: (automation, webhook, delivery) =>
        short.ask({ kind: 'automation', automation, webhook, delivery }),
      decideListeners: (listeners, delivery) => short.ask({ kind: 'decisions', listeners, delivery }),
      collectKeys: (webhook) => short.ask({ kind: 'keys', webhook }),
      findUnseenKeys: (filters) => short.ask({ kind: 'unseen', filters }),
    },
    close: async () => void (await Promise.all([long.thread.close(), short.thread.close()])),
  };
}

interface InspectionThread {
  thread: TaskThread<Inspection, unknown>;
  ask<Answer>(task: Inspection): Promise<Answer>;
}

function createHost({ secrets }: InspectorParts): InspectionHost {
  return {
    resolveSecret: async (name, user) => {
      const found = await secrets.resolve(name, user);
      return found.outcome === 'found' ? { outcome: 'found', version: found.version } : found;
    },
    secretScopes: secrets.scopes,
    checkSecret: async (webhook, user) => {
      const found = await secrets.resolve(webhook.secretName, user);
      return found.outcome === 'found' ? checkSecretForWebhook(webhook, found.value) : [];
    },
  };
}
