import { createHash } from 'node:crypto';
import type { PullRequestList, RequestPost } from '../../domain/applies/pull-request.ts';
import type { RequestReport, RequestState } from '../../domain/messages/notice.ts';
import type { Inventory } from '../../domain/ports/inventory.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Schedule } from '../../domain/time/schedule.ts';
import type { OpenRequest } from '../../outbound/notify/hosts/git-host-api.ts';
import { REQUEST_HOSTS, type RequestHostType } from '../../outbound/notify/hosts/hosts.ts';
import type { Notifier } from '../../outbound/notify/notifier.ts';
import { type NotifyTarget, nameTarget } from '../../outbound/notify/notify-target.ts';
import type { PostRequest } from '../../outbound/notify/post-notice.ts';
import type { TargetFailure } from '../../outbound/outbox.ts';
import { Loop } from '../../platform/loop.ts';
import type { CheckOrder, RequestCheck } from './check-request.ts';
import { listOpenRequests, MAX_OPEN_REQUESTS } from './list-open-requests.ts';
import { createEntry, noteChecked, notePost, type OpenEntry, recallCheck, viewEntry } from './open-entry.ts';

const RETRY_BACKOFF: Backoff = { firstMs: 5_000, maxMs: 15 * 60_000 };
/** Deliveries and applies cause no more requests to the host than one in this time. */
const MIN_PAUSE_MS = 2_000;
/** So that a clock that is read before its time does not keep the loop busy. */
const MIN_DELAY_MS = 50;

/** The factory whose pull requests are watched. */
export interface WatchedFactory {
  name: string;
  target: NotifyTarget;
  pollIntervalMs: number;
  hasBacktest: boolean;
  /** Does a request that changes nothing of the factory get a status, too? */
  reportsUntouched: boolean;
  /** Folder of the factory in the repository: `''` or `sub/dir/`. */
  prefix: string;
}

export interface RequestWatchParts {
  notifier: Pick<Notifier, 'reportRequest' | 'skipRequest' | 'findRequest'>;
  inventory: Pick<Inventory, 'status'>;
  secrets: Pick<SecretStore, 'resolve'>;
  post: PostRequest;
  /** Checks one request in a thread. Rejects if that thread failed. */
  check(order: CheckOrder, onTouched: () => Promise<void>): Promise<RequestCheck>;
  /** The list of open requests, or what is known about one of them, has changed. */
  onChanged(factory: string): void;
  userAgent: string;
  schedule: Schedule;
  clock: Clock;
  logger: Logger;
}

/** A request whose last check does not count any more, and the digest of what the next one depends on. */
interface DueCheck {
  entry: OpenEntry;
  inputs: string;
}

/**
 * Checks the open pull requests of one factory, one after another. Its list is that of the host, which is asked in an interval
 * and after a delivery about a pull request. A request is checked if its head, or what is applied, is not that of its last
 * check: what was reported is in the storage, so a restart repeats nothing.
 */
export class RequestWatch {
  readonly factory: WatchedFactory;
  readonly #parts: RequestWatchParts;
  readonly #loop: Loop;
  readonly #entries = new Map<number, OpenEntry>();
  #etag: string | null = null;
  #hasMore = false;
  /** Must the host be asked before the next check? */
  #isListDue = true;
  #lastListAt = Number.NEGATIVE_INFINITY;
  /** Wall time of the last answer. */
  #listedAt: number | null = null;
  #failures = 0;
  /** The host asked for a pause, or cannot be reached. */
  #pausedUntil = 0;
  #failure: TargetFailure | null = null;

  constructor(factory: WatchedFactory, parts: RequestWatchParts) {
    this.factory = factory;
    this.#parts = parts;
    this.#loop = new Loop({
      turn: (ending) => this.#takeTurn(ending),
      onFailure: (error) => parts.logger.error({ factory: factory.name, err: error }, 'checking pull requests failed'),
      backoff: RETRY_BACKOFF,
      schedule: parts.schedule,
    });
  }

  /** `null` if the host answered the last question. */
  get failure(): TargetFailure | null {
    return this.#failure;
  }

  /** Checks what is open until `term` aborts. What an earlier term knew, another daemon may have changed. */
  start(term: AbortSignal): void {
    if (this.#loop.isRunning) return;
    this.#entries.clear();
    this.#etag = null;
    this.#isListDue = true;
    this.#lastListAt = Number.NEGATIVE_INFINITY;
    this.#pausedUntil = 0;
    this.#loop.start({ term });
  }

  /** A delivery reports a change of a pull request. Its content is not used: the host is asked. */
  onHint(): void {
    this.#isListDue = true;
    this.#loop.wake();
  }

  /** Another revision may be applied. */
  onReconciled(): void {
    this.#loop.wake();
  }

  /** A secret has a new value. */
  onSecretChanged(name: string): void {
    if (name === this.factory.target.secretName) {
      this.#pausedUntil = 0;
      this.#isListDue = true;
    }
    for (const entry of this.#entries.values()) {
      if (entry.missingSecrets.includes(name)) entry.inputs = null;
    }
    this.#loop.wake();
  }

  /** A report about a request was queued or posted, or could not be posted. */
  onPost(report: RequestReport, post: RequestPost): void {
    const entry = this.#entries.get(report.number);
    if (entry !== undefined && notePost(entry, report, post)) this.#announce();
  }

  list(): PullRequestList {
    const { type, repository, branch } = this.factory.target;
    const requests = [...this.#entries.values()].map(viewEntry).sort((a, b) => b.number - a.number);
    return {
      host: type,
      repository: repository ?? '',
      branch,
      requests,
      hasMore: this.#hasMore,
      listedAt: this.#listedAt,
      problem: this.#failure?.problem ?? null,
    };
  }

  #announce(): void {
    this.#parts.onChanged(this.factory.name);
  }

  /** Waits for the end of the current check. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** When the host is asked next. */
  #listAt(): number {
    const waitMs = this.#isListDue ? MIN_PAUSE_MS : this.factory.pollIntervalMs;
    return Math.max(this.#lastListAt + waitMs, this.#pausedUntil);
  }

  /** Checks one request. Before each check, the host is asked if that is due, so that a head that moved again is known. */
  async #takeTurn(ending: AbortSignal): Promise<number> {
    if (this.#parts.clock.monotonicMs() >= this.#listAt()) await this.#updateList(ending);
    const next = await this.#findNext();
    if (next === null) return this.#untilNext();
    if (!ending.aborted) await this.#check(next, ending);
    return 0;
  }

  #untilNext(): number {
    const retries = [...this.#entries.values()].filter(({ failures }) => failures > 0).map(({ retryAt }) => retryAt);
    return Math.max(Math.min(this.#listAt(), ...retries) - this.#parts.clock.monotonicMs(), MIN_DELAY_MS);
  }

  async #updateList(ending: AbortSignal): Promise<void> {
    const { clock, post, userAgent } = this.#parts;
    const { target } = this.factory;
    this.#isListDue = false;
    this.#lastListAt = clock.monotonicMs();
    const secret = await this.#resolveSecret();
    if ('problem' in secret) return this.#noteFailure(secret.problem, null);
    const order = { target, secret: secret.value, userAgent, nowMs: clock.wallMs(), etag: this.#etag };
    const listed = await listOpenRequests(order, post, ending);
    if (listed === null) return;
    if (listed.kind === 'later') return this.#noteFailure(listed.problem, listed.waitMs);
    if (listed.kind === 'final') return this.#noteFailure(listed.problem, null);
    if (this.#failure !== null || this.#listedAt === null) this.#announce();
    this.#failure = null;
    this.#failures = 0;
    this.#pausedUntil = 0;
    this.#listedAt = clock.wallMs();
    if (listed.kind === 'unchanged') return;
    this.#etag = listed.etag;
    if (listed.hasMore && !this.#hasMore) {
      const fields = { factory: this.factory.name, checked: MAX_OPEN_REQUESTS };
      this.#parts.logger.warn(fields, 'too many open pull requests, the oldest are not checked');
    }
    this.#hasMore = listed.hasMore;
    this.#take(listed.requests);
    this.#announce();
  }

  #take(requests: readonly OpenRequest[]): void {
    const open = new Set(requests.map(({ number }) => number));
    for (const number of this.#entries.keys()) if (!open.has(number)) this.#entries.delete(number);
    for (const request of requests) {
      const known = this.#entries.get(request.number);
      if (known?.request.commit === request.commit && known.request.isFork === request.isFork) {
        known.request = request;
        continue;
      }
      // Keeps its time: a request that changes all the time must not be always the first.
      this.#entries.set(request.number, createEntry(request, known?.checkedAt ?? null));
    }
  }

  /** The request that has waited longest, of those whose last check does not count any more. */
  async #findNext(): Promise<DueCheck | null> {
    const status = await this.#parts.inventory.status(this.factory.name);
    // What a merge would change is not known before the first reconciliation.
    if (status === null || status.attemptedAt === null) return null;
    const nowMs = this.#parts.clock.monotonicMs();
    const waiting = [...this.#entries.values()].sort((a, b) => (a.checkedAt ?? 0) - (b.checkedAt ?? 0));
    for (const entry of waiting) {
      const inputs = this.#digestInputs(entry.request, status);
      if (!entry.isKnown) await this.#recall(entry);
      // A request that does not touch the factory has to change before it can.
      const isCurrent = entry.inputs === inputs || (entry.state === 'untouched' && entry.inputs !== null);
      if (!isCurrent && entry.retryAt <= nowMs) return { entry, inputs };
    }
    return null;
  }

  #digestInputs(
    { commit, isFork }: OpenRequest,
    { appliedRevision, attemptedRevision }: { appliedRevision: string | null; attemptedRevision: string | null },
  ): string {
    const { hasBacktest, prefix, target } = this.factory;
    const { userAgent } = this.#parts;
    const inputs = [commit, isFork, appliedRevision, attemptedRevision, hasBacktest, prefix, target.branch, userAgent];
    return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
  }

  /** Continues with what an earlier daemon reported. If that cannot be read, the request is checked again. */
  async #recall(entry: OpenEntry): Promise<void> {
    const { notifier, logger } = this.#parts;
    const { name } = this.factory;
    const { number, commit } = entry.request;
    const found = await notifier.findRequest(name, entry.request).catch((error: unknown) => {
      logger.warn({ factory: name, request: number, commit, err: error }, 'reading the last check failed');
      return { status: null, comment: null };
    });
    recallCheck(entry, found);
    this.#announce();
  }

  async #check({ entry, inputs }: DueCheck, ending: AbortSignal): Promise<void> {
    const { name, target, prefix, hasBacktest, reportsUntouched } = this.factory;
    const { notifier, clock, logger } = this.#parts;
    const { number, commit, isFork } = entry.request;
    const report = (state: RequestState, description: string, comment: string | null = null): RequestReport => {
      const finishedAt = clock.wallMs();
      const { missingSecrets } = entry;
      return {
        kind: 'request',
        number,
        commit,
        state,
        description,
        comment,
        inputs,
        missingSecrets: [...missingSecrets],
        finishedAt,
      };
    };
    const { headRef } = REQUEST_HOSTS[target.type as RequestHostType];
    const order: CheckOrder = {
      factory: name,
      head: { number, commit, ref: headRef(number) },
      prefix,
      open: [...this.#entries.keys()],
      branch: target.branch,
      isFork,
      hasBacktest,
    };
    const isNew = entry.state === 'waiting';
    const check = await this.#parts
      .check(order, async () => {
        if (isNew && !ending.aborted) await notifier.reportRequest(name, report('pending', PENDING));
      })
      .catch((error: unknown): RequestCheck => {
        logger.warn({ factory: name, request: number, commit, err: error }, 'checking a pull request failed');
        return { outcome: 'unread', message: 'the check failed; see the log of the daemon' };
      });
    if (ending.aborted) return;
    entry.checkedAt = clock.wallMs();
    if (check.outcome === 'unread') return this.#noteUnread(entry, check.message, report);
    if (check.outcome === 'untouched') {
      entry.missingSecrets = [];
      await notifier.skipRequest(name, report('success', UNTOUCHED, `${UNTOUCHED}\n`), reportsUntouched);
      noteChecked(entry, inputs, 'untouched', UNTOUCHED);
      this.#announce();
      return;
    }
    entry.missingSecrets = check.missingSecrets;
    await notifier.reportRequest(name, report(check.state, check.description, check.comment));
    noteChecked(entry, inputs, check.state, check.description);
    this.#announce();
    logger.info({ factory: name, request: number, commit, state: check.state }, 'pull request checked');
  }

  /** As for a commit, a failure is reported if it occurs twice: most end after a few seconds. */
  async #noteUnread(
    entry: OpenEntry,
    message: string,
    report: (state: RequestState, description: string) => RequestReport,
  ): Promise<void> {
    const { clock, logger, notifier } = this.#parts;
    const { name } = this.factory;
    const { number, commit } = entry.request;
    entry.failures += 1;
    entry.inputs = null;
    entry.retryAt = clock.monotonicMs() + backoffMs(RETRY_BACKOFF, entry.failures);
    entry.description = message;
    const isReported = entry.failures >= 2;
    if (isReported) entry.state = 'error';
    this.#announce();
    // The head may have moved.
    this.#isListDue = true;
    logger.warn({ factory: name, request: number, commit, problem: message }, 'pull request not read, retrying');
    if (isReported) await notifier.reportRequest(name, report('error', `${message}; retrying`));
  }

  async #resolveSecret(): Promise<{ value: string } | { problem: string }> {
    const { secretName } = this.factory.target;
    const secret = await this.#parts.secrets.resolve(secretName, 'configuration').catch(() => null);
    if (secret === null) return { problem: `the team secret ${secretName} cannot be read; see the log of the daemon` };
    if (secret.outcome === 'found') return { value: secret.value.reveal() };
    return { problem: `the team secret ${secretName} does not exist; create it: dockbell secret create ${secretName}` };
  }

  #noteFailure(problem: string, waitMs: number | null): void {
    const { clock, logger } = this.#parts;
    // Asked again as soon as the pause ends.
    this.#isListDue = true;
    this.#failures += 1;
    this.#pausedUntil = clock.monotonicMs() + Math.max(waitMs ?? 0, backoffMs(RETRY_BACKOFF, this.#failures));
    const target = nameTarget(this.factory.target);
    if (this.#failure?.problem !== problem) {
      this.#announce();
      logger.warn({ factory: this.factory.name, target, problem }, 'listing pull requests failed, retrying');
    }
    const what = 'the pull requests could not be listed';
    this.#failure = { target, what, problem, since: this.#failure?.since ?? clock.wallMs() };
  }
}

const PENDING = 'Dockbell checks what a merge would change';
const UNTOUCHED = 'The pull request changes nothing that the factory reads.';
