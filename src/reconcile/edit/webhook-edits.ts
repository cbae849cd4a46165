import { editWebhook, writeWebhook } from '../../definitions/write/write-webhook.ts';
import { webhookPath } from '../../domain/definitions/definition-paths.ts';
import { AppError } from '../../domain/errors.ts';
import type { RandomBytes, WebhookUid } from '../../domain/ids.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { EditableRecord } from '../../domain/resources/fields.ts';
import type { SecretSummary } from '../../domain/resources/secret.ts';
import type { DeclaredWebhook, WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { ComposedEdit, EditedState } from '../edit-factory.ts';
import { type ChosenSecret, chooseSecret, chooseValue } from './choose-secret.ts';
import { findWebhookText, readText, reselectEverywhere } from './edited-files.ts';
import { requireMatch, tagWebhook } from './entity-tag.ts';

/** A webhook to create. */
export interface NewWebhook extends Omit<DeclaredWebhook, 'secretName'> {
  name: string;
  /** `null` to choose a name. */
  secretName: string | null;
  /** The value that the provider issued; `null` to generate one or to use the existing secret. */
  secret: SecretValue | null;
}

/** A change of a webhook. Omitted keys stay unchanged. */
export type WebhookChange = Partial<EditableRecord<typeof WEBHOOK_FIELDS, 'change'>>;

export interface SecretParts {
  secrets: SecretStore;
  inventory: Pick<InventoryReader, 'factories' | 'webhooks'>;
  randomBytes: RandomBytes;
}

/** Creates a webhook. `chosen` is returned separately, because its value is shown once. */
export async function composeCreation(
  { secrets, inventory, randomBytes }: SecretParts,
  state: EditedState,
  wanted: NewWebhook,
): Promise<{ edit: ComposedEdit; chosen: ChosenSecret }> {
  const { secret, secretName, ...webhook } = wanted;
  rejectTakenName(state, webhook.name);
  const existing = new Set((await secrets.list()).map(({ name }) => name));
  const taken = new Set([...existing, ...(await listNamedSecrets(inventory))]);
  const request = { value: secret, name: secretName };
  const chosen = chooseSecret(webhook, request, { existing, taken, randomBytes });
  const declared = { ...webhook, secretName: chosen.name, enabled: webhook.enabled && !chosen.isAwaited };
  const edit: ComposedEdit = {
    files: [{ path: webhookPath(webhook.name), text: writeWebhook(declared) }],
    message: `Create the webhook ${webhook.name}`,
    ...(chosen.store === null ? {} : { secret: { name: chosen.name, value: chosen.store, mode: 'create' as const } }),
  };
  return { edit, chosen };
}

/** Secrets that webhooks of any factory name, including those that providers have not issued yet. */
async function listNamedSecrets(inventory: SecretParts['inventory']): Promise<string[]> {
  const factories = await inventory.factories();
  const webhooks = await Promise.all(factories.map(({ name }) => inventory.webhooks(name)));
  return webhooks.flat().map(({ secretName }) => secretName);
}

function rejectTakenName({ tree }: EditedState, name: string): void {
  if (readText(tree, webhookPath(name)) !== null) {
    throw new AppError('conflict', `A webhook ${name} already exists. Choose another name.`);
  }
}

export function composeChange(
  state: EditedState,
  uid: WebhookUid,
  { name, ...changes }: WebhookChange,
  ifMatch: string | null,
): ComposedEdit {
  const { webhook, text } = findWebhookText(state, uid);
  requireMatch(ifMatch, tagWebhook(webhook));
  const edited = editWebhook(text, changes);
  if (name === undefined || name === webhook.name) {
    return {
      files: [{ path: webhookPath(webhook.name), text: edited }],
      message: describeChange(webhook.name, changes),
    };
  }
  return composeRename(state, { uid, from: webhook.name, to: name }, edited);
}

/** Renames a webhook. Senders do not see the name: the UID, the URL and the triggers of the webhook stay. */
function composeRename(
  state: EditedState,
  { uid, from, to }: { uid: WebhookUid; from: string; to: string },
  text: string,
): ComposedEdit {
  if (!state.canRename) {
    const advice = `Create the webhook ${to}, move its senders to the new URL, then delete ${from}`;
    throw new AppError('conflict', `A webhook of a managed factory keeps the name of its file. ${advice}.`);
  }
  rejectTakenName(state, to);
  return {
    files: [
      { path: webhookPath(from), text: null },
      { path: webhookPath(to), text, uid },
      ...reselectEverywhere(state, { name: from, to: { name: to } }),
    ],
    message: `Rename the webhook ${from} to ${to}`,
  };
}

function describeChange(name: string, { enabled, ...others }: Omit<WebhookChange, 'name'>): string {
  if (enabled === undefined || Object.keys(others).length > 0) return `Change the webhook ${name}`;
  return `${enabled ? 'Enable' : 'Disable'} the webhook ${name}`;
}

/** Automations that selected the webhook are kept, and refer to the deleted UID. */
export function composeDeletion(state: EditedState, uid: WebhookUid, ifMatch: string | null): ComposedEdit {
  const { webhook } = findWebhookText(state, uid);
  requireMatch(ifMatch, tagWebhook(webhook));
  return {
    files: [
      { path: webhookPath(webhook.name), text: null },
      ...reselectEverywhere(state, { name: webhook.name, to: { uid } }),
    ],
    message: `Delete the webhook ${webhook.name}`,
  };
}

/** Stores a new value of the secret, which the webhook uses immediately. The old one is no longer valid. */
export async function composeRotation(
  { secrets, randomBytes }: SecretParts,
  state: EditedState,
  uid: WebhookUid,
  given: SecretValue | null,
  ifMatch: string | null,
): Promise<{ edit: ComposedEdit; value: SecretValue; isGenerated: boolean }> {
  const { webhook } = findWebhookText(state, uid);
  const { name, secretName } = webhook;
  requireMatch(ifMatch, tagWebhook(webhook));
  if (!state.canRename) {
    const advice = `Update it with "dockbell secret update ${secretName}"; the webhook takes it up with its next change`;
    throw new AppError('conflict', `The secret of a webhook of a managed factory is a team secret. ${advice}.`);
  }
  const summary = await secrets.find(secretName);
  if (summary !== null) rejectShared(summary);
  const { value, isGenerated } = chooseValue(webhook, given, randomBytes);
  if (value === null) throw new AppError('bad_request', 'Put the new secret that the provider issued in "secret".');
  const mode = summary === null ? 'create' : 'update';
  const edit: ComposedEdit = {
    files: [],
    message: `Rotate the secret of the webhook ${name}`,
    renewSecretOf: name,
    secret: { name: secretName, value, mode },
  };
  return { edit, value, isGenerated };
}

/** Rejects a change that affects objects outside the factory, because the caller may manage only this factory. */
function rejectShared({ name: secretName, usedBy, listedBy, notify }: SecretSummary): void {
  if (usedBy.length + listedBy.length + notify.length <= 1) return;
  const advice = 'Give the webhook a separate secret, or ask an owner to update this one';
  throw new AppError(
    'conflict',
    `${secretName} is also used elsewhere, and its rotation would break those uses. ${advice}.`,
  );
}

/**
 * The second step for a provider that issues its secret after it has the URL: stores the secret and enables the
 * webhook.
 */
export async function composeSecretStep(
  { secrets }: Pick<SecretParts, 'secrets'>,
  state: EditedState,
  uid: WebhookUid,
  value: SecretValue,
  ifMatch: string | null,
): Promise<ComposedEdit> {
  const { webhook, text } = findWebhookText(state, uid);
  const { name, secretName } = webhook;
  requireMatch(ifMatch, tagWebhook(webhook));
  if ((await secrets.find(secretName)) !== null) {
    const advice = `Enable the webhook to use the value of ${secretName}, or rotate the secret`;
    throw new AppError('conflict', `The webhook ${name} already has its secret. ${advice}.`);
  }
  return {
    files: [{ path: webhookPath(name), text: editWebhook(text, { enabled: true }) }],
    message: `Finish the setup of the webhook ${name}`,
    secret: { name: secretName, value, mode: 'create' },
    renewSecretOf: name,
  };
}
