import type { SignInMethod } from '../audit.ts';
import type { HandshakeOutcome } from '../handshake.ts';
import type { DeliveryLabel } from '../resources/delivery.ts';

/** Why the ingress turned a request away without a row in the log. */
export type UnloggedRefusal =
  | 'not_found'
  | 'method_not_allowed'
  | 'delivery_rate'
  | 'failed_auth_rate'
  | 'rejection_rows'
  | 'overloaded'
  | 'storage'
  | 'internal';

/** What the hot path counts. */
export interface IngressMetrics {
  countDelivery(webhookUid: string, label: DeliveryLabel): void;
  countHandshake(webhookUid: string, outcome: HandshakeOutcome): void;
  countRefusal(reason: UnloggedRefusal): void;
}

/** What became of a try to sign in; `limited`: it was not looked at. */
export const SIGN_IN_OUTCOMES = ['success', 'failure', 'limited'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** What signing in counts. */
export interface SignInMetrics {
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
}

/** What became of a try to tell a target of a commit. */
export const NOTICE_OUTCOMES = ['posted', 'postponed', 'given_up'] as const;

/** What the notifier counts. */
export interface NotifyMetrics {
  /** @param type kind of the target, such as `github` */
  countNotice(factory: string, type: string, outcome: (typeof NOTICE_OUTCOMES)[number]): void;
}
