import { readFile } from 'node:fs/promises';
import { AppError, messageOf } from '../../domain/errors.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';

const MAX_CHARACTERS = 1000;

/** Where the configuration has the secret: in itself, in a file, or nowhere. */
interface ClientSecretSource {
  readonly clientSecret: string | null;
  readonly clientSecretFile: string | null;
}

/**
 * The client secret for the OpenID provider, from the configuration or from the file that it names; `null` for a public
 * client. Throws `config_invalid` where the file cannot be read or holds no secret.
 */
export async function readClientSecret(oidc: ClientSecretSource | null): Promise<SecretValue | null> {
  if (oidc === null || (oidc.clientSecret === null && oidc.clientSecretFile === null)) return null;
  return new SecretValue(oidc.clientSecret ?? (await readSecretFile(oidc.clientSecretFile!)));
}

async function readSecretFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw invalid(`The file ${path} (admin.oidc.clientSecretFile) cannot be read: ${messageOf(error)}`, error);
  });
  const secret = text.replace(/\r?\n$/, '');
  const isOne = secret !== '' && secret.length <= MAX_CHARACTERS && !/\p{Cc}/u.test(secret);
  if (isOne) return secret;
  throw invalid(`The file ${path} (admin.oidc.clientSecretFile) must hold the client secret in one line.`);
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('config_invalid', message, { cause });
}
