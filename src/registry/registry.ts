import { KnownWebhooks } from './known-webhooks.ts';
import type { LiveWebhook } from './live-webhook.ts';

/** The live webhooks at one moment. Frozen: a request uses one snapshot from start to end. */
export interface Snapshot {
  readonly webhooks: ReadonlyMap<string, LiveWebhook>;
}

/** Holds the current snapshot. Replacing it is one assignment, so readers never wait and never see a partial apply. */
export class Registry {
  /** Also the webhooks that are not live. */
  readonly known = new KnownWebhooks();
  #current: Snapshot = { webhooks: new Map() };
  #byRef: ReadonlyMap<number, LiveWebhook> = new Map();

  current(): Snapshot {
    return this.#current;
  }

  /** The live webhook with this number in the storage. */
  findByRef(ref: number): LiveWebhook | undefined {
    return this.#byRef.get(ref);
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
