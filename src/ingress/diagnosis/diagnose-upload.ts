import { BEARER } from '../../definitions/signature/diagnose/scheme-mistakes.ts';
import type { Scheme } from '../../definitions/signature/scheme.ts';
import { CUSTOM } from '../../definitions/signature/schemes/custom-scheme.ts';
import { findScheme } from '../../definitions/signature/schemes/schemes.ts';
import { AppError } from '../../domain/errors.ts';
import { rateLimited } from '../../domain/network/rate-limit.ts';
import type { DeliveryDiagnosis } from '../../domain/ports/delivery-control.ts';
import type { InventoryReader, WebhookView } from '../../domain/ports/inventory.ts';
import type { SecretHistory, SecretStore } from '../../domain/ports/secret-store.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { KeyedWindows } from '../../domain/time/keyed-windows.ts';
import { schemeOf } from './diagnose-delivery.ts';
import { type MistakeTrial, presentUnexplained, tryMistakes } from './try-mistakes.ts';

/** A recorded request, to be tested with a team secret. */
export interface UploadedRequest {
  secretName: string;
  /** Name of a scheme, or `token`; `null`: that of the webhooks that name the secret. */
  scheme: string | null;
  /** Name, value, name, value; values are one character for each byte. */
  rawHeaders: readonly string[];
  body: Uint8Array;
  /** Wall time in milliseconds; `null` if unknown: then timestamps are not checked. */
  receivedAt: number | null;
  /** The URL that the sender uses; `null`: that of the webhook, if there is one. */
  url: string | null;
}

interface UploadContext extends MistakeTrial {
  inventory: Pick<InventoryReader, 'webhooks'>;
  secrets: Pick<SecretStore, 'open' | 'resolve' | 'list'> & SecretHistory;
  /** Requests that may be tried against one secret in any minute: as many guesses as the ingress allows. Read at each. */
  readonly attemptsPerMinute: number;
  clock: Pick<Clock, 'monotonicMs'>;
  baseUrl(): string;
}

/**
 * Creates the service that tests a recorded request with a team secret. It cannot reveal a secret or a signature: the
 * caller gets one sentence, is limited to the rate of failed authentications, and chooses only among the schemes of the
 * table. A `custom` block has to be in a definition: its `keyPrefix` would let a caller find a secret letter by letter.
 */
export function createUploadDiagnosis(
  context: UploadContext,
): (request: UploadedRequest) => Promise<DeliveryDiagnosis> {
  const budgets = new KeyedWindows({
    get limit() {
      return context.attemptsPerMinute;
    },
    windowMs: MINUTE_MS,
  });
  return async (request) => {
    const newest = await context.secrets.resolve(request.secretName, 'configuration');
    if (newest.outcome !== 'found') throw unknownSecret(request.secretName);
    charge(context, budgets, request.secretName);
    const webhooks = await findWebhooks(context, request.secretName);
    const { scheme, webhook } = chooseScheme(request, webhooks);
    const secret = { name: request.secretName, version: webhook?.secretVersion ?? newest.version };
    const publicUrl = request.url ?? (webhook && `${context.baseUrl()}/webhooks/w/${webhook.uid}`);
    const { rawHeaders, body, receivedAt: nowMs } = request;
    const diagnosis = await tryMistakes(context, secret, { scheme, rawHeaders, body, publicUrl, nowMs });
    if (diagnosis === null) throw unknownSecret(request.secretName);
    if (!diagnosis.ok) return presentUnexplained(diagnosis);
    return { mistake: diagnosis.mistake, sentence: diagnosis.sentence, tried: [] };
  };
}

function unknownSecret(name: string): AppError {
  return new AppError('not_found', `There is no secret ${name}. "dockbell secret list" shows what exists.`);
}

const MINUTE_MS = 60_000;

function charge({ clock, attemptsPerMinute }: UploadContext, budgets: KeyedWindows, name: string): void {
  const waitMs = budgets.admit(name, clock.monotonicMs());
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = `The secret ${name} was tried ${attemptsPerMinute} times in a minute: try again in ${retryAfterSeconds} s.`;
  const policy = { name: 'diagnoses-by-secret', quota: attemptsPerMinute, windowSeconds: MINUTE_MS / 1000 };
  throw rateLimited(message, { retryAfterSeconds, policy });
}

/** The webhooks whose credential it is. */
async function findWebhooks({ inventory, secrets }: UploadContext, name: string): Promise<WebhookView[]> {
  const users = (await secrets.list()).find((secret) => secret.name === name)?.usedBy ?? [];
  const factories = new Set(users.map(({ factory }) => factory));
  const webhooks = await Promise.all([...factories].map((factory) => inventory.webhooks(factory)));
  return webhooks.flat().filter(({ secretName }) => secretName === name);
}

/** The scheme asked for, else that of the webhooks; with the one webhook whose version and URL count. */
function chooseScheme(
  { scheme: wanted, secretName }: UploadedRequest,
  webhooks: readonly WebhookView[],
): { scheme: Scheme; webhook: WebhookView | null } {
  const all = webhooks.flatMap((webhook) => {
    const scheme = schemeOf(webhook);
    return scheme === null ? [] : [{ scheme, webhook }];
  });
  const fitting = all.filter(({ scheme }) => wanted === null || scheme.name === wanted);
  const [first] = fitting;
  if (first !== undefined && fitting.every(({ webhook }) => isAlike(webhook, first.webhook))) {
    return { scheme: first.scheme, webhook: fitting.length === 1 ? first.webhook : null };
  }
  const scheme =
    wanted === BEARER.name ? BEARER : wanted !== null && wanted !== CUSTOM ? findScheme(wanted) : undefined;
  if (scheme === undefined) throw new AppError('conflict', describeChoice(secretName, wanted, all.length));
  return { scheme, webhook: null };
}

function isAlike(one: WebhookView, other: WebhookView): boolean {
  const shapeOf = ({ authMode, signatureScheme, signature }: WebhookView) =>
    JSON.stringify([authMode, signatureScheme, signature]);
  return shapeOf(one) === shapeOf(other);
}

function describeChoice(secretName: string, wanted: string | null, candidates: number): string {
  if (wanted === CUSTOM) {
    return `No single signature block of a webhook goes with the secret ${secretName}: diagnose with the secret's text and --signature, without a daemon.`;
  }
  return candidates === 0
    ? `No webhook with a scheme names the secret ${secretName}: name the scheme to test the request with (--scheme).`
    : `Webhooks of several schemes name the secret ${secretName}: name the one that the request was for (--scheme).`;
}
