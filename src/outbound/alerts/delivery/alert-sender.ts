import { AppError } from '../../../domain/errors.ts';
import type { TargetFailure } from '../../outbox.ts';
import { type AlertTarget, listSecretNames } from '../alert-target.ts';
import { TargetSender, type TargetSenderParts } from './target-sender.ts';

/** Sends messages to all targets of the configuration. */
export class AlertSender {
  readonly #parts: TargetSenderParts;
  #senders: readonly TargetSender[] = [];
  /** In which this daemon leads; `null` before the first one. */
  #term: AbortSignal | null = null;

  constructor(targets: readonly AlertTarget[], parts: TargetSenderParts) {
    this.#parts = parts;
    this.setTargets(targets);
  }

  /** From now on sends to these targets. What waits for a target that has another name or is removed is not sent. */
  setTargets(targets: readonly AlertTarget[]): void {
    const before = new Set(this.#senders);
    this.#senders = targets.map((target) => {
      const known = this.#senders.find((sender) => JSON.stringify(sender.target) === JSON.stringify(target));
      if (known !== undefined) before.delete(known);
      return known ?? new TargetSender(target, this.#parts);
    });
    // A changed target continues with the messages of its name, when the request in progress has ended.
    const ended = Promise.all([...before].map((sender) => sender.stop()));
    void ended.then(() => this.#startAll());
  }

  /** Continues with what an earlier daemon left, until `term` aborts. */
  start(term: AbortSignal): void {
    this.#term = term;
    this.#startAll();
  }

  /** Notifications for these targets were stored. */
  wake(targets: ReadonlySet<string>): void {
    for (const sender of this.#senders) if (targets.has(sender.target.name)) sender.wake();
  }

  /** A secret has a new value. */
  onSecretChanged(name: string): void {
    for (const sender of this.#senders) if (listSecretNames(sender.target).includes(name)) sender.retryNow();
  }

  /** Sends a test message. Resolves with what was wrong; `null` if the receiver took it. Throws `not_found`. */
  test(name: string): Promise<string | null> {
    const sender = this.#senders.find(({ target }) => target.name === name);
    if (sender === undefined) throw new AppError('not_found', 'The configuration has no such target of alerts.');
    return sender.test();
  }

  /** Names and types of the targets, and what is wrong with them. */
  targets(): { name: string; type: AlertTarget['type']; failure: TargetFailure | null }[] {
    return this.#senders.map(({ target: { name, type }, failure }) => ({ name, type, failure }));
  }

  /** @param hurry ends the wait for answers when it aborts */
  async stop(hurry: AbortSignal): Promise<void> {
    await Promise.all(this.#senders.map((sender) => sender.stop(hurry)));
  }

  #startAll(): void {
    if (this.#term === null) return;
    for (const sender of this.#senders) sender.start(this.#term);
  }
}
