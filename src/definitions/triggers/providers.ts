import { AZURE_DEVOPS } from './providers/azure-devops.ts';
import { GITHUB } from './providers/github.ts';
import { GITLAB } from './providers/gitlab.ts';
import { JIRA } from './providers/jira.ts';
import { LINEAR } from './providers/linear.ts';
import { SLACK } from './providers/slack.ts';
import { TEAMS } from './providers/teams.ts';
import type { TriggerEvent, TriggerProvider } from './trigger-event.ts';

/** Every provider with trigger events, by its name in definitions. */
export const TRIGGER_PROVIDERS: ReadonlyMap<string, TriggerProvider> = new Map([
  ['github', GITHUB],
  ['gitlab', GITLAB],
  ['linear', LINEAR],
  ['jira', JIRA],
  ['slack', SLACK],
  ['teams', TEAMS],
  ['azure_devops', AZURE_DEVOPS],
  ['azure-devops', AZURE_DEVOPS],
]);

/** The event of a trigger as its file declares it; `null` if this version does not know its provider or its event. */
export function findTriggerEvent(provider: unknown, event: unknown): TriggerEvent | null {
  const events = TRIGGER_PROVIDERS.get(String(provider))?.events ?? {};
  return typeof event === 'string' && Object.hasOwn(events, event) ? events[event]! : null;
}
