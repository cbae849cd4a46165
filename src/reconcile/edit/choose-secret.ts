import { SECRET_PLACEHOLDER } from '../../definitions/signature/handshakes/handshake.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { generateSecret } from '../../definitions/signature/sign/generate-secret.ts';
import { AppError } from '../../domain/errors.ts';
import type { RandomBytes } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AuthMode } from '../../domain/resources/webhook.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { suggestSecretName } from '../../domain/words/names.ts';

/** How a webhook authenticates its senders. */
interface Authentication {
  authMode: AuthMode;
  signatureScheme: string | null;
  signature: JsonObject | null;
}

/** The requested secret of a new webhook. */
interface SecretRequest {
  /** The value that the provider issued; `null` if omitted. */
  value: SecretValue | null;
  /** `null` for the suggested name. */
  name: string | null;
}

/**
 * `store`: the value to store; `null` if the secret already exists, or if the provider has not issued it yet
 * (`isAwaited`). `isGenerated`: the value was generated, so it is shown once.
 */
export interface ChosenSecret {
  name: string;
  store: SecretValue | null;
  isGenerated: boolean;
  isAwaited: boolean;
}

/**
 * Chooses the secret of a new webhook (decisions, "Three ways to hold a factory's definition"). Throws `bad_request` if
 * a required value is missing, and `conflict` for a value with the name of an existing secret.
 *
 * @param taken names of existing secrets, and of secrets that webhooks wait for
 */
export function chooseSecret(
  webhook: Authentication & { name: string },
  request: SecretRequest,
  {
    existing,
    taken,
    randomBytes,
  }: { existing: ReadonlySet<string>; taken: ReadonlySet<string>; randomBytes: RandomBytes },
): ChosenSecret {
  if (request.name !== null && existing.has(request.name)) return takeExisting(request.name, request.value);
  const name = request.name ?? suggestSecretName(webhook.name, taken);
  const { value, ...how } = chooseValue(webhook, request.value, randomBytes);
  return { name, store: value, ...how };
}

function takeExisting(name: string, value: SecretValue | null): ChosenSecret {
  if (value === null) return { name, store: null, isGenerated: false, isAwaited: false };
  const message = `The secret ${name} already exists. Use its value, or choose another name.`;
  throw new AppError('conflict', message, {
    details: describeSecretProblem('must be omitted to use the stored value'),
  });
}

/** Chooses the value of a secret for a webhook or its rotation. */
export function chooseValue(
  webhook: Authentication,
  given: SecretValue | null,
  randomBytes: RandomBytes,
): { value: SecretValue | null; isGenerated: boolean; isAwaited: boolean } {
  const { authMode, signatureScheme, signature } = webhook;
  const generate = (kind: Parameters<typeof generateSecret>[0]) => {
    return { value: new SecretValue(generateSecret(kind, randomBytes)), isGenerated: true, isAwaited: false };
  };
  if (authMode !== 'signature') {
    if (given === null) return generate(authMode);
    const message = `The secret of a ${authMode} webhook is generated. To use your value, store it as a team secret first.`;
    throw new AppError('bad_request', message, { details: describeSecretProblem('must be omitted') });
  }
  if (given !== null) return { value: given, isGenerated: false, isAwaited: false };
  const scheme = resolveScheme(signatureScheme, signature);
  if (scheme?.canGenerateSecret) return generate('standard_webhooks');
  // The validation reports an invalid scheme together with other errors.
  if (scheme === null) return { value: null, isGenerated: false, isAwaited: false };
  if (scheme.whenSecretIsIssued === 'after') return { value: null, isGenerated: false, isAwaited: true };
  if (scheme.whenSecretIsIssued === 'handshake') {
    return { value: new SecretValue(SECRET_PLACEHOLDER), isGenerated: false, isAwaited: false };
  }
  throw new AppError('bad_request', `${scheme.title} signs with a secret that you have to provide.`, {
    details: describeSecretProblem('is missing'),
  });
}

/** Details that name the field of the request body. Clients map it to their option or form field. */
function describeSecretProblem(detail: string) {
  return [{ pointer: '#/secret', in: 'body', detail }];
}
