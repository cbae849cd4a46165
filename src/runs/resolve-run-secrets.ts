import { AppError, messageOf } from '../domain/errors.ts';
import type { Json } from '../domain/json.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { RunInput } from '../domain/resources/run.ts';
import { describeUnusable, type SecretUser } from '../domain/secrets/secret-scope.ts';
import type { SecretValue } from '../domain/secrets/secret-value.ts';
import { backoffMs, LOCAL_BACKOFF, pause } from '../domain/time/backoff.ts';

/** Number of attempts to read a secret from a busy storage before the run returns to the queue. */
const SECRET_ATTEMPTS = 3;

/** The secrets of a run by name, or why it cannot start. */
export type ResolvedRunSecrets = { ok: true; secrets: Map<string, SecretValue> } | { ok: false; error: string };

/** Reads the secrets that the automation of a run lists. Throws `storage_unavailable` if a later attempt may succeed. */
export async function resolveRunSecrets(
  { run: { factory }, overrides }: RunInput,
  store: Pick<SecretStore, 'resolve'>,
  signal: AbortSignal,
): Promise<ResolvedRunSecrets> {
  const names = overrides.secrets ?? [];
  const user: SecretUser = { factory, use: 'run' };
  if (!isListOfNames(names)) {
    return { ok: false, error: "the automation's `secrets` is not a list of names of team secrets" };
  }
  const secrets = new Map<string, SecretValue>();
  for (const name of names) {
    const found = await resolvePatiently(name, () => store.resolve(name, user), signal);
    if (found.outcome !== 'found') return { ok: false, error: describeFailure(name, user) };
    secrets.set(name, found.value);
  }
  return { ok: true, secrets };
}

/** A storage that is briefly busy must not fail a run. */
async function resolvePatiently(name: string, resolve: () => ReturnType<SecretStore['resolve']>, signal: AbortSignal) {
  for (let failures = 1; ; failures++) {
    try {
      return await resolve();
    } catch (error) {
      if (!isPassing(error) || failures === SECRET_ATTEMPTS || signal.aborted) {
        const code = error instanceof AppError ? error.code : 'internal';
        throw new AppError(code, `secret ${name} could not be read: ${messageOf(error)}`, { cause: error });
      }
      await pause(backoffMs(LOCAL_BACKOFF, failures), signal);
    }
  }
}

/** May a later attempt succeed? */
export function isPassing(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'storage_unavailable';
}

function describeFailure(name: string, user: SecretUser): string {
  const { message, hint } = describeUnusable(name, user);
  return `${message}; ${hint}`;
}

function isListOfNames(value: Json): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
