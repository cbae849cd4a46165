import type { Delivery, Reconciliation, Run } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { findAnswer, readAnswer } from '../../client/read-answer.ts';
import type { Connection } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { isEnded, readRunLog } from '../follow/follow-run-log.ts';
import { followEvents } from '../follow/read-events.ts';
import type { DevSecrets } from './dev-secrets.ts';
import type { DevView } from './dev-view.ts';

interface WatchRequest {
  connection: Connection;
  api: ApiClient;
  context: CliContext;
  factory: string;
  secrets: DevSecrets;
  view: DevView;
  /** The daemon got the signal to end. */
  stopped: AbortSignal;
  /** The daemon has ended. */
  ended: AbortSignal;
}

/** Time between two reads of the log of a run. */
const LOG_MS = 150;
/** Number of decisions that one delivery prints. */
const MAX_DECISIONS = 20;

/** Prints what happens in the daemon, in the order in which it happens, until the daemon ends. */
export async function watchDaemon(request: WatchRequest): Promise<void> {
  const { stopped, ended, view } = request;
  const watch = new DaemonWatch(request);
  const events = followEvents({ ...request, stopped: ended });
  try {
    for await (const { name, data } of events) await watch.show(name, data);
  } catch (error) {
    // Requests fail as soon as the daemon begins to end.
    if (!stopped.aborted && !ended.aborted) throw error;
  }
  await watch.whenIdle();
  view.end();
}

class DaemonWatch {
  readonly #request: WatchRequest;
  /** Runs whose start was printed. */
  readonly #runs = new Map<string, Promise<void>>();
  #shown = '';

  constructor(request: WatchRequest) {
    this.#request = request;
  }

  async show(name: string, data: unknown): Promise<void> {
    if (name === 'reconciliation') await this.#showReconciliation(data as Reconciliation);
    else if (name === 'delivery') await this.#showDelivery(data as Delivery);
    else if (name === 'run') this.#showRun(data as Run);
    else await this.#showLatest();
  }

  async whenIdle(): Promise<void> {
    await Promise.allSettled(this.#runs.values());
  }

  /** The first reconciliation usually ends before anybody listens. */
  async #showLatest(): Promise<void> {
    const { api, factory } = this.#request;
    const { data } = await readAnswer(
      api.GET('/api/v1/factories/{factory}/reconciliations', { params: { path: { factory }, query: { limit: 1 } } }),
    );
    if (data[0] !== undefined) await this.#showReconciliation(data[0]);
  }

  async #showReconciliation({ id, result, attempted_at: at }: Reconciliation): Promise<void> {
    const { api, factory, view, secrets } = this.#request;
    if (result === 'unchanged') return view.showUnchanged();
    // Repeated attempts with the same outcome share one ID.
    if (this.#shown === `${id} ${at}`) return;
    this.#shown = `${id} ${at}`;
    const path = { factory, id };
    const whole = await findAnswer(api.GET('/api/v1/factories/{factory}/reconciliations/{id}', { params: { path } }));
    if (whole === null) return;
    const missing = whole.diagnostics.filter(({ rule }) => MISSING_SECRET.has(rule));
    // The daemon applies the definition again as soon as its secrets exist.
    const isComplete = missing.length > 0 && (await secrets.provide(missing));
    const diagnostics = isComplete
      ? whole.diagnostics.filter((finding) => !missing.includes(finding))
      : whole.diagnostics;
    if (result === 'applied') await view.showApplied({ ...whole, diagnostics });
    else if (!(isComplete && result === 'failed')) await view.showRejected(whole);
  }

  async #showDelivery(delivery: Delivery): Promise<void> {
    const { api, view } = this.#request;
    view.showDelivery(delivery);
    if (delivery.label !== 'Accepted') return;
    const params = { path: { id: delivery.id }, query: { limit: MAX_DECISIONS } };
    const explanation = await findAnswer(api.GET('/api/v1/deliveries/{id}/explain', { params }));
    if (explanation !== null) view.showDecisions(delivery, explanation);
  }

  /** A run is followed from its start on. One that ended before it was seen is printed as a whole. */
  #showRun(run: Run): void {
    if (run.state === 'queued' || this.#runs.has(run.id)) return;
    const following = this.#followRun(run).catch(() => {});
    this.#runs.set(run.id, following);
    void following.then(() => this.#runs.delete(run.id));
  }

  async #followRun(started: Run): Promise<void> {
    const { api, view, context, ended } = this.#request;
    const output = view.startRun(started);
    let offset = 0;
    for (;;) {
      // The state is read first: a log that is read after the end of the run is complete.
      const run = await readAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id: started.id } } }));
      const bytes = await readRunLog(api, started.id, { offset });
      offset += bytes.length;
      output.print(bytes);
      if (isEnded(run) || ended.aborted) return output.end(run);
      await context.sleep(LOG_MS, ended);
    }
  }
}

const MISSING_SECRET: ReadonlySet<string> = new Set(['secret/missing', 'automation/missing-run-secret']);
