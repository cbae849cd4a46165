import type { SignInMethod } from '../access/audit.ts';
import type { HandshakeOutcome } from '../deliveries/handshake.ts';
import type { DeliveryLabel } from '../resources/delivery.ts';

/** Why requests that concern no known webhook were rejected, and rejections that have a row for many of them. */
export type UnloggedRejection = 'not_found' | 'method_not_allowed' | 'rejection_rows';

/** A webhook that metrics name. Its UID identifies it when its name changes. */
export interface CountedWebhook {
  uid: string;
  factory: string;
  name: string;
}

/** Metrics of the ingress. */
export interface IngressMetrics {
  countDelivery(webhook: CountedWebhook, label: DeliveryLabel): void;
  /** @param seconds from the headers of the request to its answer, for a delivery that is stored */
  observeDelivery(seconds: number): void;
  countHandshake(webhook: CountedWebhook, outcome: HandshakeOutcome): void;
  countRejection(reason: UnloggedRejection): void;
}

/** Outcome of a sign-in attempt. `limited`: the rate limit applied, so the credentials were not checked. */
const SIGN_IN_OUTCOMES = ['success', 'failure', 'limited'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** Metrics of sign-ins. */
export interface SignInMetrics {
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
}

/** Outcome of an attempt to post a commit status. */
export const NOTICE_OUTCOMES = ['posted', 'postponed', 'given_up'] as const;

/** Metrics of the notifier. */
export interface NotifyMetrics {
  /** @param type kind of the target, such as `github` */
  countNotice(factory: string, type: string, outcome: (typeof NOTICE_OUTCOMES)[number]): void;
}

/** Outcome of an attempt to send a message about alerts. */
export type AlertMessageOutcome = 'sent' | 'postponed' | 'given_up';

/** Metrics of alerts. */
export interface AlertMetrics {
  /** @param target its name in the configuration */
  countAlertMessage(target: string, outcome: AlertMessageOutcome): void;
}
