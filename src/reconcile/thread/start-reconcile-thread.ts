// The reconcile thread, from outside. In: calls of its ports (`protocol.ts`). Out: what it needs from the main thread, called
// back: secrets, the registry, the log. Inside, `worker.ts` connects the storage and creates the loops
// (`reconcile/wire-definitions.ts`).

import { Worker } from 'node:worker_threads';
import { AppError } from '../../domain/errors.ts';
import type { FactoryControl, ReconcileControl, Serving } from '../../domain/ports/definitions.ts';
import type { AppliedChange } from '../../domain/ports/inventory.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { OnTimedPass } from '../../domain/ports/tracing.ts';
import type { StoredTraceContext } from '../../domain/telemetry/trace-context.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { AdoptSecret } from '../../ingress/ingress-context.ts';
import { Loop } from '../../platform/loop.ts';
import type { Packed } from '../../platform/threads/packed.ts';
import { createPortClient } from '../../platform/threads/port-client.ts';
import { PortLink } from '../../platform/threads/port-link.ts';
import type { StorageThread } from '../../storage/thread/start-storage.ts';
import type { FactoryEditor } from '../edit/factory-editor.ts';
import type { OnReconciled } from '../reconciler.ts';
import { type HostPorts, RECONCILE_OPERATIONS, type ReconcilePorts, type ReconcileSettings } from './protocol.ts';

interface ReconcileThreadParts {
  /** The built `worker.js`. */
  workerUrl: URL;
  settings: Omit<ReconcileSettings, 'storage'>;
  openChannel: StorageThread['openChannel'];
  serving: Serving<Packed<AppliedChange>>;
  secrets: SecretStore;
  onReconciled: OnReconciled;
  onTimedPass: OnTimedPass;
  logger: Logger;
}

/** The reconcile thread for the other modules of the daemon. */
export interface ReconcileThread {
  control: ReconcileControl & FactoryControl;
  editor: FactoryEditor;
  adoptSecret: AdoptSecret;
  /** Makes live what was applied last, so that the daemon serves while git cannot be reached. */
  serveAll(): Promise<void>;
  /** Makes live what other replicas changed since a live version, as `Reconciler.follow`. */
  follow(factory: string, since: number): Promise<number>;
  /**
   * Continues with other factories. What is live stays. Each factory begins with a pass.
   * @param toServe factories whose stored definition is made live before that
   */
  restart(
    changed: Pick<ReconcileSettings, 'factories' | 'webhooksPerFactory'>,
    toServe: readonly string[],
  ): Promise<void>;
  /** Starts the loops of all factories. When `term` aborts, they end like at a stop; what is live stays, and is followed. */
  start(term: AbortSignal): void;
  onSecretChanged(): void;
  /** The production branch of the factory may have moved. */
  onPush(factory: string, trace: StoredTraceContext | null): void;
  /** Ends the loops, then the thread. */
  stop(): Promise<void>;
}

/** Delays before the thread is started again after a failure. */
const RESTART_BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000 };

/** Starts the thread that turns commits and edits into live webhooks. If it fails, what is live stays, and it starts again. */
export function startReconcileThread(parts: ReconcileThreadParts): ReconcileThread {
  const thread = new RestartingThread(parts);
  const { reconcilers, editor, adoption } = thread.remote;
  // A failed call was logged where it failed, or the thread ended and its next start begins with a pass.
  const notify = (call: void | Promise<void>) => void Promise.resolve(call).catch(() => {});
  return {
    control: reconcilers,
    editor,
    adoptSecret: ({ factory, uid }, secret) => adoption.adopt({ factory, uid }, secret),
    serveAll: reconcilers.serveAll,
    follow: reconcilers.follow,
    restart: (changed, toServe) => thread.restart(changed, toServe),
    start: (term) => thread.lead(term),
    onSecretChanged: () => notify(reconcilers.onSecretChanged()),
    onPush: (factory, trace) => notify(reconcilers.onPush(factory, trace)),
    stop: () => thread.stop(),
  };
}

class RestartingThread {
  /** The ports of the thread that runs at the time of a call. */
  readonly remote = createPortClient<ReconcilePorts>(RECONCILE_OPERATIONS, (request) => this.#link.call(request));
  readonly #parts: ReconcileThreadParts;
  #worker!: Worker;
  #link!: PortLink;
  readonly #restarts = new TaskQueue();
  /** Starts the thread again after a failure. */
  readonly #revival: Loop;
  #isFailed = false;
  #hasLoops = false;
  #isStopping = false;
  #settings: ReconcileThreadParts['settings'];
  #failures = 0;

  constructor(parts: ReconcileThreadParts) {
    this.#parts = parts;
    this.#settings = parts.settings;
    this.#start();
    this.#revival = new Loop({
      turn: async () => this.#revive(),
      onFailure: (error, failures) => this.#report(error, backoffMs(RESTART_BACKOFF, failures)),
      backoff: RESTART_BACKOFF,
    });
    this.#revival.start();
  }

  lead(term: AbortSignal): void {
    if (term.aborted) return;
    this.#hasLoops = true;
    term.addEventListener('abort', () => void this.#endLoops(), { once: true });
    this.#startLoops();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#revival.stop();
    await this.#end(new AppError('shutting_down', 'The daemon is stopping. Try again once it has started again.'));
  }

  restart(changed: Partial<ReconcileThreadParts['settings']>, toServe: readonly string[]): Promise<void> {
    return this.#restarts.run(async () => {
      this.#settings = { ...this.#settings, ...changed };
      await this.#end(new AppError('shutting_down', 'The configuration was reloaded meanwhile. Try again.'));
      this.#start();
      try {
        for (const factory of toServe) await this.remote.reconcilers.serve(factory);
      } finally {
        if (this.#hasLoops) this.#startLoops();
      }
    });
  }

  #startLoops(): void {
    Promise.resolve(this.remote.reconcilers.start()).catch(() => {});
  }

  /** Nothing that the thread knew as that of the leader is used again: it ends, and starts as that of a follower. */
  async #endLoops(): Promise<void> {
    this.#hasLoops = false;
    await this.#restarts.run(async () => {
      if (this.#isStopping) return;
      await this.#end(new AppError('not_leading', 'Another replica leads. Repeat the request.'));
      if (this.#isStopping) return;
      this.#start();
      if (this.#hasLoops) this.#startLoops();
    });
  }

  async #end(reason: AppError): Promise<void> {
    this.#isFailed = false;
    await this.remote.reconcilers.stop(reason).catch(() => {});
    this.#link.end(reason);
    this.#worker.removeAllListeners('error').on('error', () => {});
    await this.#worker.terminate();
  }

  #start(): void {
    const { workerUrl, openChannel } = this.#parts;
    const storage = openChannel();
    const workerData: ReconcileSettings = { ...this.#settings, storage };
    this.#worker = new Worker(workerUrl, { workerData, transferList: [storage] });
    this.#link = new PortLink(this.#worker, offerHost(this.#parts));
    this.#worker.once('error', (error) => this.#fail(error));
    this.#isFailed = false;
  }

  #revive(): null {
    if (!this.#isFailed) return null;
    this.#start();
    if (this.#hasLoops) this.#startLoops();
    return null;
  }

  #fail(error: unknown): void {
    this.#link.end(new AppError('internal', 'The thread that applies definitions failed. It starts again.'));
    if (this.#isStopping) return;
    this.#failures += 1;
    const retryInMs = backoffMs(RESTART_BACKOFF, this.#failures);
    this.#report(error, retryInMs);
    this.#isFailed = true;
    this.#revival.wake(retryInMs);
  }

  #report(error: unknown, retryInMs: number): void {
    this.#parts.logger.error({ err: error, retryInMs }, 'reconcile thread failed');
  }
}

function offerHost({ serving, secrets, onReconciled, onTimedPass, logger }: ReconcileThreadParts): HostPorts {
  return {
    serving,
    secrets,
    reports: {
      reconciled: onReconciled,
      timed: onTimedPass,
      log: (level, fields, message) => logger[level](fields, message),
    },
  };
}
