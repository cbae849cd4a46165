import type { Alert } from '../../domain/messages/alert.ts';
import type { AlertRule } from '../../domain/messages/alert-rules.ts';

interface TargetBase {
  readonly name: string;
  /** Rules and factories whose alerts the target gets; `null` for all. */
  readonly rules: readonly string[] | null;
  readonly factories: readonly string[] | null;
}

interface PostTarget extends TargetBase {
  /** May contain a credential: must not be shown. */
  readonly url: string | null;
  /** Team secret that contains the URL instead. */
  readonly urlSecretName: string | null;
  readonly allowPrivateAddresses: boolean;
}

export interface WebhookTarget extends PostTarget {
  readonly type: 'webhook';
  /** Team secret that signs the messages. */
  readonly secretName: string | null;
}

export interface SlackTarget extends PostTarget {
  readonly type: 'slack';
}

export interface EmailTarget extends TargetBase {
  readonly type: 'email';
  readonly host: string;
  readonly port: number;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly username: string | null;
  /** Team secret with the password. */
  readonly secretName: string | null;
  readonly from: string;
  readonly to: readonly string[];
}

/** Who gets messages, as the configuration names them. */
export type AlertTarget = WebhookTarget | SlackTarget | EmailTarget;

/** Does the target get messages about alerts of this rule and factory? */
export function isRouted({ rules, factories }: AlertTarget, alert: Pick<Alert, 'rule' | 'factory'>): boolean {
  const isRule = rules === null || rules.includes(alert.rule satisfies AlertRule);
  return isRule && (factories === null || (alert.factory !== null && factories.includes(alert.factory)));
}

/** The team secrets that a target uses. */
export function listSecretNames(target: AlertTarget): string[] {
  const names = [
    'urlSecretName' in target ? target.urlSecretName : null,
    'secretName' in target ? target.secretName : null,
  ];
  return names.filter((name) => name !== null);
}
