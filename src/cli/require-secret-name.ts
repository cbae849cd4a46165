import { escapeText } from '../core/escape-text.ts';
import { SECRET_NAME_PATTERN } from '../core/names.ts';
import { CliError } from './exit-codes.ts';

/** Refuses what cannot be the name of a secret before anybody is asked. */
export function requireSecretName(name: string): void {
  if (SECRET_NAME_PATTERN.test(name)) return;
  throw new CliError(`'${escapeText(name)}' cannot be the name of a secret.`, {
    hint: 'A name is a letter or _, then at most 127 letters, digits or _, such as INTERNAL_CI_WEBHOOK_SECRET.',
  });
}
