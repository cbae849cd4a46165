import type { SecretStore } from '../../core/ports/secret-store.ts';
import type { SecretValue } from '../../core/secret-value.ts';

type Found = { ok: true; secret: SecretValue } | { ok: false; problem: string };

/** The latest value of the team secret that signs requests, or why it cannot be used. Rejects if it cannot be read now. */
export async function findSigningSecret(
  name: string,
  factory: string,
  store: Pick<SecretStore, 'resolve'>,
): Promise<Found> {
  const found = await store.resolve(name, { factory, use: 'run' });
  if (found.outcome === 'found') return { ok: true, secret: found.value };
  const problem =
    found.outcome === 'missing'
      ? `the team secret ${name}, which signs requests to the receiver, does not exist; create it: dockbell secret create ${name}`
      : `the scope of the team secret ${name}, which signs requests to the receiver, does not include runs of the factory ${factory}; an owner can add it: dockbell secret update ${name} --factory ${factory} --use run --add`;
  return { ok: false, problem };
}
