import Database from 'better-sqlite3';
import type { AgentFileContent } from '../../src/domain/definitions/agent-files.ts';
import type { RunId } from '../../src/domain/ids.ts';
import type { PauseTable } from '../../src/domain/ports/pauses.ts';
import type { ClaimRequest, RetryOutcome, RunQueue, RunReader } from '../../src/domain/ports/run-queue.ts';
import type { ExecutorType, Run, RunAttempt, RunInput } from '../../src/domain/resources/run.ts';
import type { BudgetPolicy, ConcurrencyPolicy, RetryPolicy } from '../../src/domain/runs/run-policy.ts';
import { toRun } from '../../src/storage/sql/runs/run-rows.ts';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { readNewDatabase } from './new-database.ts';

/** What an automation declares about its runs. */
interface RunPolicy {
  retry?: RetryPolicy;
  concurrency?: ConcurrencyPolicy;
  debounce?: string;
  budget?: BudgetPolicy;
}

/** The queue of a storage, in memory or in a file. Tests can break it, and read it without waiting. */
export class StoredRunQueue implements RunQueue, Pick<RunReader, 'get' | 'attempts' | 'agentFiles'> {
  /** Called before every operation. Throw in it to make the operation fail. */
  before: (operation: keyof RunQueue) => void | Promise<void> = () => undefined;
  /** Called after a claim or an end was stored. Throw in it to lose the answer. */
  after: (operation: 'claim' | 'finish') => void = () => undefined;
  readonly #db: Database.Database;
  readonly #queue: RunQueue;
  readonly #reader: RunReader;
  readonly pauses: PauseTable;

  /** @param file the database; in memory if omitted */
  constructor(file?: string) {
    this.#db = file === undefined ? new Database(readNewDatabase()) : openDatabase(file);
    const { runQueue, runReader, pauses } = createSqliteStorage(this.#db);
    this.#queue = runQueue;
    this.#reader = runReader;
    this.pauses = pauses;
  }

  /** Stores the run in its state, and creates its delivery and the rows of the factory. */
  add({ run, webhook, prompt, agent, overrides, payload }: RunInput, policy: RunPolicy = {}): void {
    const { factory, automation, createdAt } = run;
    this.#db.prepare('INSERT OR IGNORE INTO factories (name, created_at) VALUES (?, 0)').run(factory);
    const ref =
      this.#findWebhook(webhook.uid) ??
      this.#insert('webhooks', {
        uid: webhook.uid,
        factory,
        name: webhook.name,
        file: '',
        auth_mode: 'token',
        secret_name: 'CI',
        secret_version: 1,
        enabled: 1,
        created_at: 0,
        updated_at: 0,
      });
    const delivery = this.#insert('deliveries', {
      id: run.id.replace('run_', 'dlv_'),
      webhook: ref,
      label: 0,
      identity: run.deliveryIdentity,
      size: payload.length,
      received_at: createdAt,
      client_address: '::1',
    });
    this.#insert('delivery_contents', { delivery, body: Buffer.from(payload), decisions: '[]' });
    const version = this.#insert('automation_versions', {
      factory,
      name: automation,
      digest: run.id,
      prompt,
      agent,
      overrides: JSON.stringify(overrides),
      ...Object.fromEntries(
        Object.entries(policy).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
      ),
    });
    const seq = this.#insert('runs', {
      id: run.id,
      factory,
      automation,
      version,
      delivery,
      delivery_id: run.delivery,
      delivery_identity: run.deliveryIdentity,
      webhook: ref,
      state: run.state,
      attempt: run.attempt,
      executor: run.executor,
      revision: run.revision,
      gate: run.gate,
      concurrency_key: run.concurrencyKey,
      runs_on: run.runsOn === null ? null : JSON.stringify(run.runsOn),
      created_at: createdAt,
      started_at: run.startedAt,
    });
    if (run.state !== 'queued') {
      const { attempt: number, state, executor, startedAt: started_at } = run;
      this.#insert('run_attempts', { run: seq, number, state, executor, started_at });
    }
  }

  /** Sets a run back to `running`, like a crash between its end and the record of it. */
  forgetEnd(id: RunId): void {
    this.#db.prepare("UPDATE runs SET state = 'running', finished_at = NULL WHERE id = ?").run(id);
  }

  run(id: RunId): Run {
    const sql = `SELECT runs.*, webhooks.uid AS webhook_uid, webhooks.name AS webhook_name
      FROM runs JOIN webhooks ON webhooks.ref = runs.webhook WHERE runs.id = ?`;
    return toRun(this.#db.prepare<[string], Parameters<typeof toRun>[0]>(sql).get(id)!);
  }

  states(): string[] {
    return this.#db.prepare('SELECT state FROM runs ORDER BY seq').pluck().all() as string[];
  }

  async claim(request: ClaimRequest): ReturnType<RunQueue['claim']> {
    await this.before('claim');
    const claimed = await this.#queue.claim(request);
    this.after('claim');
    return claimed;
  }

  async admit(request: Parameters<RunQueue['admit']>[0]): ReturnType<RunQueue['admit']> {
    await this.before('admit');
    return this.#queue.admit(request);
  }

  async finish(request: Parameters<RunQueue['finish']>[0]): ReturnType<RunQueue['finish']> {
    await this.before('finish');
    const end = await this.#queue.finish(request);
    this.after('finish');
    return end;
  }

  async release(request: Parameters<RunQueue['release']>[0]): Promise<boolean> {
    await this.before('release');
    return this.#queue.release(request);
  }

  async cancelQueued(request: Parameters<RunQueue['cancelQueued']>[0]): Promise<boolean> {
    await this.before('cancelQueued');
    return this.#queue.cancelQueued(request);
  }

  async retryFailed(request: Parameters<RunQueue['retryFailed']>[0]): Promise<boolean> {
    await this.before('retryFailed');
    return this.#queue.retryFailed(request);
  }

  async noteLogOffset(request: Parameters<RunQueue['noteLogOffset']>[0]): Promise<void> {
    await this.before('noteLogOffset');
    return this.#queue.noteLogOffset(request);
  }

  async retry(request: Parameters<RunQueue['retry']>[0]): Promise<RetryOutcome> {
    await this.before('retry');
    return this.#queue.retry(request);
  }

  attempts(ids: readonly RunId[]): Promise<Map<RunId, RunAttempt[]>> {
    return this.#reader.attempts(ids);
  }

  agentFiles(id: RunId): Promise<AgentFileContent[]> {
    return this.#reader.agentFiles(id);
  }

  async attemptsOf(id: RunId): Promise<RunAttempt[]> {
    return (await this.attempts([id])).get(id) ?? [];
  }

  async running(executor: ExecutorType, factory?: string): ReturnType<RunQueue['running']> {
    await this.before('running');
    return this.#queue.running(executor, factory);
  }

  async accept(request: Parameters<RunQueue['accept']>[0]): Promise<boolean> {
    await this.before('accept');
    return this.#queue.accept(request);
  }

  async accepted(): ReturnType<RunQueue['accepted']> {
    await this.before('accepted');
    return this.#queue.accepted();
  }

  async noteProgress(request: Parameters<RunQueue['noteProgress']>[0]): Promise<void> {
    await this.before('noteProgress');
    return this.#queue.noteProgress(request);
  }

  get(id: RunId): Promise<Run | null> {
    return this.#reader.get(id);
  }

  close(): void {
    this.#db.close();
  }

  #findWebhook(uid: string): number | undefined {
    return this.#db.prepare('SELECT ref FROM webhooks WHERE uid = ?').pluck().get(uid) as number | undefined;
  }

  #insert(table: string, row: Record<string, unknown>): number {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`;
    return Number(this.#db.prepare(sql).run(row).lastInsertRowid);
  }
}
