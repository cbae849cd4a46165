import type { DeliveryId, WebhookUid } from '../../domain/ids.ts';
import type {
  CaptureState,
  DeliveryDiagnosis,
  DiagnoseDelivery,
  LocalCaptures,
  SharedCaptureControl,
} from '../../domain/ports/delivery-control.ts';
import type { CaptureMessage, ReplicaMessage } from '../../domain/ports/replicas.ts';
import type { Delivery } from '../../domain/resources/delivery.ts';
import type { Schedule } from '../../domain/time/schedule.ts';

/** Between two messages about each open window. A request that another replica captured is known after this time. */
const RENEW_MS = 1000;

/** A window of a follower ends if it is not renewed for this time, so a lost message leaves no window open. */
const LEASE_MS = 10_000;

/** What another replica captured is forgotten if it does not report it again. */
const REPORTED_MS = 5000;

/** How long another replica may take to diagnose a request. It tries some hundred signatures. */
const DIAGNOSE_MS = 10_000;

interface SharedCapturesParts {
  /** The windows of this replica. */
  local: LocalCaptures;
  announce(message: ReplicaMessage): void;
  /** An entry of the delivery log. */
  readDelivery(id: DeliveryId): Promise<Delivery | null>;
  /** Monotonic. */
  nowMs(): number;
  schedule: Schedule;
}

/** A question to another replica. */
interface Asked {
  answer: Promise<DeliveryDiagnosis | null>;
  settle(diagnosis: DeliveryDiagnosis | null): void;
}

/** What one other replica captured for one webhook. */
interface Reported {
  deliveries: ReadonlySet<DeliveryId>;
  atMs: number;
}

/**
 * The capture windows of all replicas. The leader opens and closes them, and renews them while they are open. Captured requests
 * stay in the memory of the replica that received them: it reports their IDs, and diagnoses them for the leader.
 *
 * ```
 *   leader:    closed ── open ──▶ open ── close, or its time has passed ──▶ closed
 *                                  │ `capture`, once per second
 *                                  ▼
 *   follower:  closed ─────────▶ open ── close, or no message for `LEASE_MS` ──▶ closed
 *                                  │ `captured`, once per second; `diagnose` ◀─▶ `diagnosed`
 *                                  ▼
 *                                leader
 * ```
 *
 * A new leader knows only the rest of the last message, so a change of the leader ends a window within `LEASE_MS`.
 */
export class SharedCaptures implements SharedCaptureControl {
  readonly #parts: SharedCapturesParts;
  /** By webhook and replica. */
  readonly #reported = new Map<WebhookUid, Map<string, Reported>>();
  readonly #asked = new Map<DeliveryId, Asked>();
  #diagnoseHere: DiagnoseDelivery | null = null;
  #leads = false;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: SharedCapturesParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.renew(), RENEW_MS).unref();
  }

  /** Renews the open windows, until `term` aborts. */
  lead(term: AbortSignal): void {
    this.#leads = true;
    term.addEventListener('abort', () => {
      this.#leads = false;
    });
  }

  open(webhook: WebhookUid, forMs: number): CaptureState {
    const { local, announce } = this.#parts;
    const state = local.open(webhook, forMs);
    announce({ kind: 'capture', webhook, forMs });
    return { ...state, kept: state.kept + this.#countReported(webhook) };
  }

  close(webhook: WebhookUid): void {
    const { local, announce } = this.#parts;
    local.close(webhook);
    this.#reported.delete(webhook);
    announce({ kind: 'capture', webhook, forMs: 0 });
  }

  state(webhook: WebhookUid): CaptureState | null {
    const state = this.#parts.local.state(webhook);
    return state && { ...state, kept: state.kept + this.#countReported(webhook) };
  }

  shareDiagnosis(diagnoseHere: DiagnoseDelivery): DiagnoseDelivery {
    this.#diagnoseHere = diagnoseHere;
    return async (delivery) => (await this.#diagnoseElsewhere(delivery)) ?? diagnoseHere(delivery);
  }

  /** @param from ID of the replica that sent the message */
  note(message: CaptureMessage, from: string): void {
    const { local } = this.#parts;
    if (message.kind === 'capture') {
      if (message.forMs > 0) local.open(message.webhook, Math.min(message.forMs, LEASE_MS));
      else local.close(message.webhook);
    } else if (message.kind === 'captured') {
      const byReplica = this.#reported.get(message.webhook) ?? new Map<string, Reported>();
      byReplica.set(from, { deliveries: new Set(message.deliveries), atMs: this.#parts.nowMs() });
      this.#reported.set(message.webhook, byReplica);
    } else if (message.kind === 'diagnosed') {
      this.#asked.get(message.delivery)?.settle(message.diagnosis);
    } else {
      void this.#answer(message.webhook, message.delivery);
    }
  }

  /** Reports to the others which windows are open, and what this replica captured. */
  renew(): void {
    const { local, announce } = this.#parts;
    for (const { webhook, forMs, deliveries } of local.listOpen()) {
      if (this.#leads) announce({ kind: 'capture', webhook, forMs });
      else if (deliveries.length > 0) announce({ kind: 'captured', webhook, deliveries });
    }
    for (const [webhook, byReplica] of this.#reported) {
      for (const [replica, { atMs }] of byReplica) {
        if (this.#parts.nowMs() - atMs > REPORTED_MS) byReplica.delete(replica);
      }
      if (byReplica.size === 0) this.#reported.delete(webhook);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #countReported(webhook: WebhookUid): number {
    let count = 0;
    for (const { deliveries } of this.#reported.get(webhook)?.values() ?? []) count += deliveries.size;
    return count;
  }

  /** `null` if no other replica captured the request, or if it does not answer. */
  async #diagnoseElsewhere({ id, webhookUid: webhook }: Delivery): Promise<DeliveryDiagnosis | null> {
    const reported = [...(this.#reported.get(webhook)?.values() ?? [])];
    if (!reported.some(({ deliveries }) => deliveries.has(id))) return null;
    const asked = this.#asked.get(id) ?? this.#ask(webhook, id);
    return asked.answer;
  }

  #ask(webhook: WebhookUid, id: DeliveryId): Asked {
    let resolve!: (diagnosis: DeliveryDiagnosis | null) => void;
    const answer = new Promise<DeliveryDiagnosis | null>((settled) => {
      resolve = settled;
    });
    const settle = (diagnosis: DeliveryDiagnosis | null) => {
      cancel();
      this.#asked.delete(id);
      resolve(diagnosis);
    };
    const cancel = this.#parts.schedule(DIAGNOSE_MS, () => settle(null));
    const asked = { answer, settle };
    this.#asked.set(id, asked);
    this.#parts.announce({ kind: 'diagnose', webhook, delivery: id });
    return asked;
  }

  async #answer(webhook: WebhookUid, id: DeliveryId): Promise<void> {
    const { local, readDelivery, announce } = this.#parts;
    if (this.#diagnoseHere === null || local.find(webhook, id) === null) return;
    try {
      const delivery = await readDelivery(id);
      if (delivery === null) return;
      announce({ kind: 'diagnosed', delivery: id, diagnosis: await this.#diagnoseHere(delivery) });
    } catch {
      // The leader then concludes from the reason alone.
    }
  }
}

export function isAboutCaptures(message: ReplicaMessage): message is CaptureMessage {
  return ['capture', 'captured', 'diagnose', 'diagnosed'].includes(message.kind);
}
