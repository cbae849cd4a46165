import type { Handshake, HandshakeEntry } from '../../handshake.ts';
import type { WebhookUid } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';

/** The log of handshakes, beside that of deliveries: a handshake is no delivery and has none of the five labels. */
export interface HandshakeLog {
  append(entry: HandshakeEntry): Promise<void>;
  /** Newest first. That of a deleted webhook stays readable until retention ends it. */
  list(request: PageRequest & { webhookUid: WebhookUid }): Promise<Page<Handshake>>;
}
