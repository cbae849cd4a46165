import { readDeclared } from '../../src/domain/resources/fields.ts';
import { type DeclaredWebhook, WEBHOOK_FIELDS } from '../../src/domain/resources/webhook.ts';

/** What the file of a webhook declares that sets only these keys. A new field needs no change of the tests. */
export function declareWebhook(keys: Partial<DeclaredWebhook> = {}): DeclaredWebhook {
  return readDeclared(WEBHOOK_FIELDS, { secretName: 'CI_SECRET', ...keys });
}
