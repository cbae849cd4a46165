import type { WebhookDefinition } from '../../core/definition.ts';
import { editYaml, type KeyChanges, writeYaml } from '../../yaml/edit-yaml.ts';

/** What a webhook's file says, without where it says it. */
export type DeclaredWebhook = Pick<
  WebhookDefinition,
  | 'description'
  | 'authMode'
  | 'signatureScheme'
  | 'signature'
  | 'secretName'
  | 'verifyTokenSecretName'
  | 'deliveryIdHeader'
  | 'enabled'
>;

/** The text of a new `webhooks/<name>.yaml`; keys that say what is so anyway are left out. */
export function writeWebhook(webhook: DeclaredWebhook): string {
  const keys = toKeys(webhook);
  return writeYaml(
    Object.fromEntries(Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
  );
}

/** The text of a webhook's file with some keys changed; the others, comments and layout stay. */
export function editWebhook(text: string, changes: Partial<DeclaredWebhook>): string {
  const keys = toKeys(changes);
  return editYaml(text, Object.fromEntries(Object.keys(changes).map((key) => [key, keys[key]])));
}

function toKeys(webhook: Partial<DeclaredWebhook>): KeyChanges {
  const { description, authMode, signatureScheme, signature, secretName } = webhook;
  return {
    description: description ?? undefined,
    authMode,
    signatureScheme: signatureScheme ?? undefined,
    signature: signature ?? undefined,
    secretName,
    verifyTokenSecretName: webhook.verifyTokenSecretName ?? undefined,
    deliveryIdHeader: webhook.deliveryIdHeader ?? undefined,
    enabled: webhook.enabled === false ? false : undefined,
  };
}
