import { type Reselection, reselectWebhook } from '../../definitions/write/write-automation.ts';
import { automationNameOf, automationPaths, webhookPath } from '../../domain/definitions/definition-paths.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { AppError } from '../../domain/errors.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { FileChange } from '../../domain/ports/sources.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import type { EditedState } from '../edit-factory.ts';

/** The path of the file that declares an automation, or of the one to create. */
export function findAutomationPath({ entries }: SourceTree, name: string): string {
  return entries.find(({ path }) => automationNameOf(path) === name)?.path ?? automationPaths(name).folder;
}

/** The text of a file; `null` if it does not exist or cannot be read as text. */
export function readText({ entries }: SourceTree, path: string): string | null {
  const bytes = entries.find((entry) => entry.path === path)?.bytes ?? null;
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** The webhook of that UID and the text that declares it. Throws `not_found`. */
export function findWebhookText(state: EditedState, uid: WebhookUid): { webhook: AppliedWebhook; text: string } {
  const webhook = state.applied.webhooks.find((each) => each.uid === uid && each.deletedAt === null);
  const text = webhook === undefined ? null : readText(state.tree, webhookPath(webhook.name));
  if (webhook === undefined || text === null) throw new AppError('not_found', 'The webhook does not exist.');
  return { webhook, text };
}

/** The applied automation; `null` if it does not exist. */
export function findAutomation({ applied }: EditedState, name: string): AppliedAutomation | null {
  return applied.automations.find((automation) => automation.name === name) ?? null;
}

/** Changes of all automations that select a webhook by its name, if that name is removed. */
export function reselectEverywhere({ tree }: EditedState, reselection: Reselection): FileChange[] {
  return tree.entries.flatMap(({ path }) => {
    const text = automationNameOf(path) === null ? null : readText(tree, path);
    if (text === null) return [];
    const edited = reselectWebhook(text, reselection);
    return edited === text ? [] : [{ path, text: edited }];
  });
}
