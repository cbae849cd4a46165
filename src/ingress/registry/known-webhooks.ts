import type { WebhookName } from '../../domain/ports/inventory.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';

/** A webhook of the storage, whether it is served or not. */
interface KnownWebhook {
  ref: number;
  uid: string;
  factory: string;
  name: string;
  /** Why it is not served; `null` if it is. */
  unserved: 'disabled' | 'deleted' | 'not_configured' | null;
}

/**
 * All webhooks of the storage, so that requests to webhooks that are not served can be counted. Only applies add entries.
 * Requests never do.
 */
export class KnownWebhooks {
  readonly #byUid = new Map<string, KnownWebhook>();
  readonly #byRef = new Map<number, KnownWebhook>();

  find(uid: string): KnownWebhook | undefined {
    return this.#byUid.get(uid);
  }

  findByRef(ref: number): KnownWebhook | undefined {
    return this.#byRef.get(ref);
  }

  /** At start, and after a factory was renamed: adds what the storage has. The factories of later changes are configured. */
  load(webhooks: readonly WebhookName[], isConfigured: (factory: string) => boolean): void {
    for (const { ref, uid, factory, name, enabled, deletedAt } of webhooks) {
      const state = enabled ? null : 'disabled';
      const configured = isConfigured(factory) ? state : 'not_configured';
      this.#set({ ref, uid, factory, name, unserved: deletedAt === null ? configured : 'deleted' });
    }
  }

  /** A webhook was created or changed. */
  noteApplied({ uid, factory, name, enabled }: AppliedWebhook, ref: number): void {
    this.#set({ ref, uid, factory, name, unserved: enabled ? null : 'disabled' });
  }

  /** The configuration no longer names the factory: its webhooks are not served. */
  noteUnconfigured(factory: string): void {
    for (const known of [...this.#byUid.values()]) {
      if (known.factory === factory && known.unserved !== 'deleted')
        this.#set({ ...known, unserved: 'not_configured' });
    }
  }

  noteDeleted(uid: string): void {
    const known = this.#byUid.get(uid);
    if (known !== undefined) this.#set({ ...known, unserved: 'deleted' });
  }

  /** The webhooks of the factory belong to no factory, or to another one that was added before. */
  forgetFactory(factory: string): void {
    for (const { uid, ref, factory: owner } of [...this.#byUid.values()]) {
      if (owner !== factory) continue;
      this.#byUid.delete(uid);
      this.#byRef.delete(ref);
    }
  }

  #set(webhook: KnownWebhook): void {
    this.#byUid.set(webhook.uid, webhook);
    this.#byRef.set(webhook.ref, webhook);
  }
}
