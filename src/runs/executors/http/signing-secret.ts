import type { SecretStore } from '../../../domain/ports/secret-store.ts';
import { describeUnusable, type SecretUser } from '../../../domain/secrets/secret-scope.ts';
import type { SecretValue } from '../../../domain/secrets/secret-value.ts';

type Found = { ok: true; secret: SecretValue } | { ok: false; problem: string };

/** The latest value of the team secret that signs requests, or why it cannot be used. Rejects if it cannot be read now. */
export async function findSigningSecret(
  name: string,
  factory: string,
  store: Pick<SecretStore, 'resolve'>,
): Promise<Found> {
  const user: SecretUser = { factory, use: 'run' };
  const found = await store.resolve(name, user);
  if (found.outcome === 'found') return { ok: true, secret: found.value };
  const { message, hint } = describeUnusable(name, user);
  return { ok: false, problem: `requests to the receiver cannot be signed: ${message}; ${hint}` };
}
