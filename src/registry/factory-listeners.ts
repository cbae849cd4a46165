import type { WebhookUid } from '../core/ids.ts';
import type { ListeningAutomation } from '../core/ports/definitions/serving.ts';
import { ListenerIndex, type ListenerPatterns, type LiveApply } from '../filter/listener-index.ts';

/** The listeners of all webhooks of a factory. */
export class FactoryListeners {
  readonly #byWebhook = new Map<WebhookUid, ListenerIndex>();
  /** The webhooks that each automation listens to. */
  readonly #webhooksOf = new Map<string, readonly WebhookUid[]>();
  #apply: LiveApply = { number: 0, revision: null };

  /** The listeners of a webhook. They change in place. */
  of(webhook: WebhookUid): ListenerIndex {
    const known = this.#byWebhook.get(webhook);
    if (known !== undefined) return known;
    const index = new ListenerIndex();
    index.apply = this.#apply;
    this.#byWebhook.set(webhook, index);
    return index;
  }

  /**
   * Adds or replaces an automation.
   *
   * @param compiled its filters, if they were compiled ahead
   */
  set(
    { name, version, enabled, filters }: ListeningAutomation,
    compiled: ReadonlyMap<WebhookUid, ListenerPatterns> = new Map(),
  ): void {
    this.delete(name);
    const webhooks = filters.map(([webhook]) => webhook);
    this.#webhooksOf.set(name, webhooks);
    for (const [webhook, list] of filters) {
      const listener = { automation: name, version: version ?? 0, enabled, filters: list };
      this.of(webhook).add(listener, compiled.get(webhook));
    }
  }

  delete(name: string): void {
    for (const webhook of this.#webhooksOf.get(name) ?? []) this.of(webhook).remove(name);
    this.#webhooksOf.delete(name);
  }

  setVersion(name: string, version: number): void {
    for (const webhook of this.#webhooksOf.get(name) ?? []) this.of(webhook).setVersion(name, version);
  }

  /** The apply that the listeners are the result of. */
  setApply(apply: LiveApply): void {
    this.#apply = apply;
    for (const index of this.#byWebhook.values()) index.apply = apply;
  }
}
