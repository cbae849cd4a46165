import type { Backtest } from '../applies/backtest.ts';
import type { DeliveryFilter } from '../definitions/trigger.ts';
import type { DeliveryId, WebhookUid } from '../ids.ts';
import type { BackfillReason, Delivery } from '../resources/delivery.ts';
import type { WebhookView } from './inventory.ts';

/** An open capture window of a webhook. */
export interface CaptureState {
  /** Wall time in milliseconds at which the window ends and the captured requests are deleted. */
  until: number;
  /** Number of captured requests. */
  kept: number;
}

/** A rejected request with everything that its diagnosis needs, including credentials. */
export interface CapturedRequest {
  delivery: DeliveryId;
  /** Name, value, name, value; each character of a value is one byte. */
  rawHeaders: readonly string[];
  body: Uint8Array;
  /** The URL that should be configured at the sender, with the received query. */
  publicUrl: string;
  /** Wall time in milliseconds. */
  receivedAt: number;
}

/** Opens and closes the windows in which rejected requests are captured for a diagnosis. */
export interface CaptureControl {
  /** Opens a window, or moves the end of an open one, which keeps its requests. */
  open(webhook: WebhookUid, forMs: number): CaptureState;
  /** Deletes the window and its requests. Does nothing if no window is open. */
  close(webhook: WebhookUid): void;
  /** `null` if no window is open. */
  state(webhook: WebhookUid): CaptureState | null;
}

/** An open window, for other replicas. */
export interface OpenCapture {
  webhook: WebhookUid;
  /** Milliseconds until it ends. */
  forMs: number;
  /** The captured requests, oldest first. */
  deliveries: DeliveryId[];
}

/** The windows of this daemon, with the requests that it captured. */
export interface LocalCaptures extends CaptureControl {
  listOpen(): OpenCapture[];
  /** The request of that delivery; `null` if it was not captured here, or was dropped. */
  find(webhook: WebhookUid, delivery: DeliveryId): CapturedRequest | null;
}

/** The windows of all daemons that share the storage. */
export interface SharedCaptureControl extends CaptureControl {
  /** Diagnoses each delivery where its request was captured, otherwise here. */
  shareDiagnosis(diagnoseHere: DiagnoseDelivery): DiagnoseDelivery;
}

/** A delivery as the API of its provider reports it. */
export interface MissedDelivery {
  /** The sender's delivery ID. */
  deliveryId: string;
  /** The headers of the original request. */
  headers: Readonly<Record<string, string>>;
  /** JSON. Its bytes may differ from the original ones. */
  payload: string;
}

/** The answer of the ingress. */
interface BackfillAnswer {
  status: number;
  /** Seconds to wait before another attempt; `null` if the ingress named none. */
  retryAfter: number | null;
  /** Whether the original signature was posted, or a new one. */
  reason: BackfillReason;
}

/** Posts missed deliveries to the ingress of this daemon, with their original IDs. */
export interface BackfillControl {
  post(webhook: WebhookView, delivery: MissedDelivery): Promise<BackfillAnswer>;
}

/** What was wrong with a rejected delivery. None of it ever holds anything of a secret or of the request. */
export interface DeliveryDiagnosis {
  /** For programs: `none` where the request is good by now; `null` where nothing explains the rejection. */
  mistake: string | null;
  /** For people: which one, and what to do. */
  sentence: string;
  /** If nothing explains it: the mistakes that were tested. */
  tried: string[];
}

/** Says why a delivery was rejected. */
export type DiagnoseDelivery = (delivery: Delivery) => Promise<DeliveryDiagnosis>;

/** A trigger that is tested before it is saved. */
export interface ProposedTrigger {
  listensTo: readonly WebhookUid[];
  /** A valid filter. */
  filter: DeliveryFilter;
}

/** Evaluates triggers that are not saved yet against stored deliveries. */
export interface Backtester {
  /** @param automation the applied automation whose triggers these would replace; `null` for a new one */
  backtest(factory: string, automation: string | null, triggers: readonly ProposedTrigger[]): Promise<Backtest>;
}
