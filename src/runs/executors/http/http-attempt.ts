import { AppError } from '../../../domain/errors.ts';
import type { Accepted, ExecutionRequest, NotStarted, StopOrder } from '../../../domain/ports/executor.ts';
import type { RunResult } from '../../../domain/resources/run.ts';
import type { SecretValue } from '../../../domain/secrets/secret-value.ts';
import { backoffMs, pause } from '../../../domain/time/backoff.ts';
import { describeNetworkFailure } from '../../../outbound/network-failure.ts';
import { readRetryAfter } from '../../../outbound/retry-after.ts';
import { discardBody, type OutboundResponse, sendPost } from '../../../outbound/send-post.ts';
import { describeStop, failed, notStarted } from '../attempt-results.ts';
import type { AttemptLog } from './attempt-log.ts';
import { nameAttempt } from './compose-request.ts';
import { logRejection, readAnswer, readResultIfAny } from './read-answer.ts';
import type { Receiver } from './receiver.ts';

/** The receiver executes an earlier request with the same key: it works. */
const IN_PROGRESS = 409;
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, IN_PROGRESS]);

/** The parts of each request of an attempt. */
export interface Message {
  body: Buffer;
  headers: Record<string, string>;
  secret: SecretValue;
  /** When the time limit of the attempt expires, as wall time in milliseconds. */
  deadlineAt: number;
}

/** Why a request has to be repeated. */
interface Failure {
  state: 'repeat';
  /** One sentence without credentials. */
  problem: string;
  /** The pause that the receiver asks for; `null` for none. */
  waitMs: number | null;
  /** `false` if the receiver got nothing. */
  wasReceived: boolean;
  /** Does the receiver work nevertheless? */
  isAlive: boolean;
}

/** One attempt: requests until the receiver responds with a result, its time limit has expired, or the run is stopped. */
export class HttpAttempt {
  readonly #request: ExecutionRequest;
  readonly #message: Message;
  readonly #log: AttemptLog;
  readonly #receiver: Receiver;
  readonly #deadline: AbortSignal;
  /** Aborted at the deadline and when the run is stopped. */
  readonly #ending: AbortSignal;
  readonly #host: string;
  #isStarted = false;
  #wasSent = false;

  constructor(request: ExecutionRequest, message: Message, log: AttemptLog, receiver: Receiver) {
    this.#request = request;
    this.#message = message;
    this.#log = log;
    this.#receiver = receiver;
    this.#host = new URL(receiver.settings.url).host;
    this.#deadline = AbortSignal.timeout(receiver.parts.timeoutMs);
    this.#ending = AbortSignal.any([request.signal, this.#deadline]);
  }

  /** Did the receiver get a request, perhaps? */
  get wasSent(): boolean {
    return this.#wasSent;
  }

  async execute(): Promise<RunResult | NotStarted | Accepted> {
    let last: Failure | null = null;
    for (let failures = 0; ; failures++) {
      await pause(this.#pauseMs(failures), this.#ending);
      if (this.#ending.aborted) return this.#end(last);
      const outcome = await this.#send();
      if (outcome === null) return this.#end(null);
      if (outcome.state !== 'repeat') return outcome;
      last = outcome;
      if (this.#isStarted) await this.#log.write(`\n[dockbell: ${outcome.problem}; the request is repeated]\n`);
      const given = this.#giveBack(outcome);
      if (given !== null) return given;
    }
  }

  #pauseMs(failures: number): number {
    const { circuit, timing } = this.#receiver;
    const backoff = failures === 0 ? 0 : backoffMs(timing.backoff, failures, Math.random());
    return Math.max(backoff, circuit.pauseMs());
  }

  /** Sends one request. Resolves with `null` if the attempt was stopped, or the deadline ended the request. */
  async #send(): Promise<RunResult | Accepted | Failure | null> {
    let executing: NodeJS.Timeout | undefined;
    let wasReceived = false;
    const onSending = () => {
      wasReceived = true;
      this.#wasSent = true;
      executing = setTimeout(() => this.#noteStart(), this.#receiver.timing.executingAfterMs);
    };
    try {
      const { connections } = this.#receiver;
      const response = await sendPost(this.#sign(), { signal: this.#ending, connections, onSending });
      clearTimeout(executing);
      return await this.#read(response);
    } catch (error) {
      if (this.#request.signal.aborted || (this.#deadline.aborted && wasReceived)) return null;
      if (error instanceof AppError) return this.#fail(this.#describeBadSecret(), { wasReceived: false });
      return this.#fail(this.#describeFailure(error, wasReceived), { wasReceived });
    } finally {
      clearTimeout(executing);
    }
  }

  /** Signed for each request, because a signature contains its time. Throws `bad_request` for a secret that cannot sign. */
  #sign() {
    const { body, headers, secret } = this.#message;
    const { settings, parts } = this.#receiver;
    const id = nameAttempt(this.#request.input.run);
    const signed = { id, url: settings.url, body, nowMs: parts.clock.wallMs() };
    return { url: settings.url, body, headers: { ...headers, ...parts.signWebhook(secret.reveal().trim(), signed) } };
  }

  async #read(response: OutboundResponse): Promise<RunResult | Accepted | Failure> {
    const { status, headers } = response;
    if (status >= 200 && status < 300) {
      this.#noteStart();
      this.#receiver.circuit.noteSuccess();
      if (this.#receiver.settings.mode === 'sync') return await readAnswer(response, this.#log);
      return (await readResultIfAny(response, this.#log)) ?? this.#accept();
    }
    if (status >= 500 || PASSING.has(status)) {
      await discardBody(response.body);
      const waitMs = readRetryAfter(headers['retry-after'], this.#receiver.parts.clock.wallMs());
      const isAlive = status === IN_PROGRESS;
      return this.#fail(`the receiver ${this.#host} responded with ${status}`, { waitMs, isAlive });
    }
    this.#receiver.circuit.noteSuccess();
    this.#noteStart();
    await logRejection(response, this.#log);
    return failed(`the receiver ${this.#host} responded with ${status}: ${explainRejection(status)}`);
  }

  /** The receiver reports the end. What it reports belongs behind the mark of this attempt in the log. */
  async #accept(): Promise<Accepted> {
    this.#noteStart();
    this.#receiver.circuit.noteSuccess();
    await this.#log.write('');
    return { state: 'accepted', heldUntil: this.#message.deadlineAt };
  }

  #describeFailure(error: unknown, wasReceived: boolean): string {
    if (wasReceived) return `the connection to the receiver ${this.#host} was lost: ${describeNetworkFailure(error)}`;
    const reason = this.#deadline.aborted ? 'no connection within runs.timeout' : describeNetworkFailure(error);
    return `the receiver ${this.#host} cannot be reached: ${reason}`;
  }

  /** The team can replace it, so the run waits. */
  #describeBadSecret(): string {
    const { secretName } = this.#receiver.settings;
    return `the value of the team secret ${secretName}, which signs requests to the receiver, is not a signing secret`;
  }

  #fail(problem: string, more: Partial<Failure>): Failure {
    const failure: Failure = { state: 'repeat', problem, waitMs: null, wasReceived: true, isAlive: false, ...more };
    const { circuit, parts } = this.#receiver;
    if (!failure.isAlive) circuit.noteFailure(failure.waitMs);
    const { id, attempt } = this.#request.input.run;
    parts.logger.warn({ run: id, attempt, problem }, 'request to the receiver failed, retrying');
    return failure;
  }

  /** Returns the run to the queue while the circuit is open, or ends it if the receiver failed to execute it for too long. */
  #giveBack({ problem, wasReceived }: Failure): RunResult | NotStarted | null {
    const { circuit, parts } = this.#receiver;
    if (this.#isStarted) return null;
    const key = nameAttempt(this.#request.input.run);
    if (wasReceived && circuit.noteFailing(key) >= parts.timeoutMs) return this.#describeExpiry(problem);
    return circuit.isOpen ? notStarted(this.#request, problem) : null;
  }

  #noteStart(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#request.onStarted(this.#log.offset);
  }

  /** @param last why the last request failed; `null` if the receiver has not answered a request yet */
  async #end(last: Failure | null): Promise<RunResult | NotStarted | Accepted> {
    const { signal } = this.#request;
    if (signal.aborted && (signal.reason as StopOrder).cause === 'accepted') return this.#accept();
    if (signal.aborted) return describeStop(signal);
    if (last === null) return failed('timeout');
    if (!last.wasReceived && !this.#isStarted) return notStarted(this.#request, last.problem);
    return this.#describeExpiry(last.problem);
  }

  #describeExpiry(problem: string): RunResult {
    return failed(`${problem}, until the time limit of runs.timeout`);
  }
}

function explainRejection(status: number): string {
  if (status >= 300 && status < 400) return 'redirects are not followed; write the new URL into dockbell.yaml';
  if (status === 401 || status === 403) return 'check that it verifies signatures with the same secret';
  return 'it rejected the run; the log of the run has its answer';
}
