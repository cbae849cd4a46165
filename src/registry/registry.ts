import type { LiveWebhook } from './live-webhook.ts';

/** Everything that is live at one moment. Frozen: a request that began with it ends with it. */
export interface Snapshot {
  readonly webhooks: ReadonlyMap<string, LiveWebhook>;
}

/** Holds the snapshot in force. Swapping it is one assignment: readers never wait and never see half of an apply. */
export class Registry {
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
