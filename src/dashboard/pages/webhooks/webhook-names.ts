import type { SignatureScheme, Webhook } from '../../../client/api-types.ts';

const MODES: Readonly<Record<Webhook['auth_mode'], string>> = {
  token: 'Bearer token',
  url_token: 'URL token',
  signature: 'Provider signature',
};

/** The name of an authentication mode. */
export function nameMode(mode: Webhook['auth_mode']): string {
  return MODES[mode];
}

/** For example "Provider signature, GitHub". An unknown scheme is shown by its key. */
export function nameAuthentication(webhook: Webhook, schemes: readonly SignatureScheme[] = []): string {
  const { auth_mode, signature_scheme } = webhook;
  if (signature_scheme === null) return nameMode(auth_mode);
  const title = schemes.find(({ name }) => name === signature_scheme)?.title ?? signature_scheme;
  return `${nameMode(auth_mode)}, ${title}`;
}

/** Whether the webhook still needs the secret that its provider issues later. */
export function awaitsSecret({ auth_mode, enabled, credential_state }: Webhook): boolean {
  return auth_mode === 'signature' && !enabled && credential_state === 'missing';
}
