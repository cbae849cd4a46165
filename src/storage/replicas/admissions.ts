import { setTimeout as pause } from 'node:timers/promises';
import type { AdmissionKind, Counts, ReplicaMessage, SharedAdmissions } from '../../domain/ports/replicas.ts';
import { addCount, splitCounts } from './counts.ts';

/** Between two messages that are not urgent. */
const EXCHANGE_MS = 1000;

/** After this time, the other replicas have counted what a sent message says. */
const SEEN_MS = 100;

type Admitted = Record<AdmissionKind, Map<string, number>>;

interface AdmissionsParts {
  /** Sends a message to the other replicas. Resolves when it is sent, or failed. */
  announce(message: ReplicaMessage): Promise<void>;
  /** The number of replicas, with this one. */
  countReplicas(): number;
}

/**
 * Reports to the other replicas what this one admitted: once per second, or immediately if it is urgent. One exchange follows the
 * end of the one before, so a busy replica sends up to ten messages per second.
 */
export class Admissions implements SharedAdmissions {
  readonly #parts: AdmissionsParts;
  readonly #timer: NodeJS.Timeout;
  #unsent: Admitted = createEmpty();
  /** Sent, but perhaps not counted yet. */
  #sent: Admitted = createEmpty();
  #exchange: Promise<void> | null = null;
  #isUrgent = false;

  constructor(parts: AdmissionsParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#begin(), EXCHANGE_MS).unref();
  }

  get replicas(): number {
    return this.#parts.countReplicas();
  }

  countUnseen(kind: AdmissionKind, key: string): number {
    return (this.#unsent[kind].get(key) ?? 0) + (this.#sent[kind].get(key) ?? 0);
  }

  note(kind: AdmissionKind, key: string, isUrgent: boolean): void {
    addCount(this.#unsent[kind], key, 1);
    if (!isUrgent) return;
    this.#isUrgent = true;
    this.#begin();
  }

  async untilSeen(): Promise<void> {
    // What is being sent does not contain the latest admissions.
    await this.#exchange;
    await this.#begin();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Begins an exchange, or returns the one that has begun. */
  #begin(): Promise<void> {
    this.#exchange ??= this.#exchangeAll().finally(() => {
      this.#exchange = null;
      if (this.#isUrgent) void this.#begin();
    });
    return this.#exchange;
  }

  async #exchangeAll(): Promise<void> {
    this.#isUrgent = false;
    this.#sent = this.#unsent;
    this.#unsent = createEmpty();
    const messages = (['deliveries', 'failures'] as const).flatMap((of) =>
      splitCounts(this.#sent[of]).map((counts: Counts): ReplicaMessage => ({ kind: 'admitted', of, counts })),
    );
    if (messages.length === 0) return;
    if (this.replicas === 1) {
      this.#sent = createEmpty();
      return;
    }
    await Promise.all(messages.map((message) => this.#parts.announce(message)));
    await pause(SEEN_MS);
    this.#sent = createEmpty();
  }
}

function createEmpty(): Admitted {
  return { deliveries: new Map(), failures: new Map() };
}
