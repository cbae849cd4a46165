import { writeDeclared } from '../../domain/resources/fields.ts';
import { type DeclaredWebhook, WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { writeYaml } from '../../domain/words/yaml-text.ts';
import { editYaml } from '../yaml/edit-yaml.ts';

/** The text of a new `webhooks/<name>.yaml`. Keys with their default value are omitted. */
export function writeWebhook(webhook: DeclaredWebhook): string {
  const keys = Object.entries(writeDeclared(WEBHOOK_FIELDS, webhook));
  return writeYaml(Object.fromEntries(keys.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))));
}

/** The text of a webhook's file with some keys changed. The other keys, comments and the layout stay. */
export function editWebhook(text: string, changes: Partial<DeclaredWebhook>): string {
  const keys = writeDeclared(WEBHOOK_FIELDS, changes);
  return editYaml(text, Object.fromEntries(Object.keys(changes).map((key) => [key, keys[key]])));
}
