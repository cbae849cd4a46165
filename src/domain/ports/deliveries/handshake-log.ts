import type { Handshake, HandshakeEntry } from '../../handshake.ts';
import type { WebhookUid } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';

/**
 * The log of handshakes. It is separate from the delivery log, because a handshake has none of the five labels of
 * deliveries.
 */
export interface HandshakeLog {
  append(entry: HandshakeEntry): Promise<void>;
  /** Newest first. The log of a deleted webhook stays readable until retention removes it. */
  list(request: PageRequest & { webhookUid: WebhookUid }): Promise<Page<Handshake>>;
}
