import { AppError } from '../../domain/errors.ts';
import type { WebhookView } from '../../domain/ports/inventory.ts';
import { isLoopbackUrl, isProtectedUrl } from '../../domain/words/names.ts';
import type { HookProvider } from './hook-provider.ts';

/** Throws `cannot_connect` for a webhook that the provider cannot post to. */
export function requireConnectable(webhook: WebhookView, { title, schemes, bodyFormats }: HookProvider): void {
  const problem = findProblem(webhook, { title, schemes, bodyFormats });
  if (problem === null) return;
  throw new AppError('cannot_connect', `The webhook ${webhook.name} cannot be registered at ${title}: ${problem}.`);
}

function findProblem(
  { enabled, authMode, signatureScheme, bodyFormat }: WebhookView,
  { title, schemes, bodyFormats }: Pick<HookProvider, 'title' | 'schemes' | 'bodyFormats'>,
): string | null {
  const wanted = `set authMode: signature and signatureScheme: ${schemes.join(' or ')}`;
  if (authMode === 'url_token') return `its URL contains the secret, which every admin there could read; ${wanted}`;
  if (signatureScheme === null || !schemes.includes(signatureScheme)) {
    return `${title} sends no credential that it accepts; ${wanted}`;
  }
  if (!enabled) return 'it is disabled; set enabled: true';
  if (bodyFormats.includes(bodyFormat)) return null;
  return `it expects ${bodyFormat} bodies, which ${title} does not send; set bodyFormat: ${bodyFormats[0]}`;
}

/** The base URL of the API, without a slash at its end. Throws `bad_request` for a URL that must not get a secret. */
export function requireApiUrl({ title, apiUrl, apiEnding = '' }: HookProvider, given: string | null): string {
  if (given === null) return apiUrl;
  const reject = (rule: string): never => {
    throw new AppError('bad_request', `The URL of the API ${rule}.`);
  };
  if (!URL.canParse(given) || !/^https?:/.test(given)) return reject('is not an http or https URL');
  const { username, password, search, hash, href } = new URL(given);
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    return reject('must have no user, query or fragment');
  }
  if (!isProtectedUrl(given)) return reject('must use https, because a token and a secret are sent to it');
  const base = href.replace(/\/+$/, '');
  return base.endsWith(apiEnding) ? base : reject(`of ${title} must end in ${apiEnding}`);
}

/** Throws `cannot_connect` for an ingress URL that only this machine can reach, unless the provider is on it, too. */
export function requireReachable({ title }: HookProvider, ingressUrl: string, apiUrl: string): void {
  if (!isLoopbackUrl(ingressUrl) || isLoopbackUrl(apiUrl)) return;
  const advice = 'Set baseUrl in dockbell.yaml to the URL at which senders reach the ingress';
  throw new AppError('cannot_connect', `${title} cannot reach ${new URL(ingressUrl).origin}. ${advice}.`);
}
