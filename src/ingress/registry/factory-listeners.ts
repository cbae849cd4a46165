import {
  FilterCompiler,
  type Listener,
  ListenerIndex,
  type ListenerPatterns,
  type LiveApply,
} from '../../definitions/filter/listeners/listener-index.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { ListeningAutomation } from '../../domain/ports/definitions.ts';

/** The filters of an automation for each webhook, compiled. */
export type CompiledFilters = ReadonlyMap<WebhookUid, ListenerPatterns>;

/** Compiles the filters of an automation, which takes most of the time of adding it. */
export function compileFilters({ filters }: ListeningAutomation): CompiledFilters {
  const compiler = new FilterCompiler();
  return new Map(filters.map(([webhook, list]) => [webhook, compiler.compile(list)]));
}

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
   * @param compiled of `compileFilters`
   * @param listener of all webhooks
   */
  set({ name, enabled, filters }: ListeningAutomation, compiled: CompiledFilters, listener: Listener): void {
    this.delete(name);
    const webhooks = filters.map(([webhook]) => webhook);
    this.#webhooksOf.set(name, webhooks);
    for (const [webhook, list] of filters) {
      this.of(webhook).add({ ...listener, enabled, filters: list }, compiled.get(webhook), listener);
    }
  }

  delete(name: string): void {
    for (const webhook of this.#webhooksOf.get(name) ?? []) this.of(webhook).remove(name);
    this.#webhooksOf.delete(name);
  }

  /** The apply that the listeners are the result of. */
  setApply(apply: LiveApply): void {
    this.#apply = apply;
    for (const index of this.#byWebhook.values()) index.apply = apply;
  }
}
