import { KnownWebhooks } from './known-webhooks.ts';
import type { LiveWebhook } from './live-webhook.ts';

/** The live webhooks at one moment. Frozen: a request uses one snapshot from start to end. */
interface Snapshot {
  readonly webhooks: ReadonlyMap<string, LiveWebhook>;
}

/** Where deliveries are recorded: a webhook, or the source of the ticks of a factory. */
export type DeliverySource = Pick<LiveWebhook, 'ref' | 'uid' | 'name' | 'factory' | 'listeners'>;

/** Holds the current snapshot. Replacing it is one assignment, so readers never wait and never see a partial apply. */
export class Registry {
  /** Also the webhooks that are not live. */
  readonly known = new KnownWebhooks();
  #current: Snapshot = { webhooks: new Map() };
  #byRef: ReadonlyMap<number, LiveWebhook> = new Map();

  /** By factory. Requests do not find them. */
  readonly #tickSources = new Map<string, DeliverySource>();

  current(): Snapshot {
    return this.#current;
  }

  /** The live webhook with this number in the storage. */
  findByRef(ref: number): LiveWebhook | undefined {
    return this.#byRef.get(ref);
  }

  /** The live webhook or source of ticks with this UID. */
  findSource(uid: string): DeliverySource | undefined {
    return this.#current.webhooks.get(uid) ?? this.#findTickSource((source) => source.uid === uid);
  }

  /** As `findSource`, by the number in the storage. */
  findSourceByRef(ref: number): DeliverySource | undefined {
    return this.#byRef.get(ref) ?? this.#findTickSource((source) => source.ref === ref);
  }

  /** The source of the ticks of a factory. */
  tickSource(factory: string): DeliverySource | undefined {
    return this.#tickSources.get(factory);
  }

  /** Can a live webhook or a schedule start any automation of the factory? */
  canStart(factory: string): boolean {
    if (this.#tickSources.get(factory)?.listeners.canStart) return true;
    for (const webhook of this.#current.webhooks.values())
      if (webhook.factory === factory && webhook.listeners.canStart) return true;
    return false;
  }

  /** @param source `null` if the factory is not served */
  setTickSource(factory: string, source: DeliverySource | null): void {
    if (source === null) this.#tickSources.delete(factory);
    else this.#tickSources.set(factory, source);
  }

  #findTickSource(isWanted: (source: DeliverySource) => boolean): DeliverySource | undefined {
    return [...this.#tickSources.values()].find(isWanted);
  }

  /** Replaces the enabled webhooks of one factory. */
  replaceFactory(factory: string, webhooks: readonly LiveWebhook[]): void {
    const kept = [...this.#current.webhooks].filter(([, webhook]) => webhook.factory !== factory);
    const replaced = webhooks.map((webhook) => [webhook.uid, webhook] as const);
    const all = new Map<string, LiveWebhook>([...kept, ...replaced]);
    this.#current = Object.freeze({ webhooks: all });
    this.#byRef = new Map([...all.values()].map((webhook) => [webhook.ref, webhook]));
  }
}
