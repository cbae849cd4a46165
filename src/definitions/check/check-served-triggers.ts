import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import { isWebhookTrigger, type ProviderTrigger } from '../../domain/definitions/trigger.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { FileDiagnostics, FileProblem } from '../file-diagnostics.ts';
import { explainServing, type Obstacle } from '../triggers/explain-serving.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import { formatKeyPath, type KeyPath, quote } from '../yaml/key-path.ts';
import type { References } from './references.ts';

/** Where a trigger is, and where its lists are. */
interface Place {
  index: number;
  places: AutomationDefinition['places'];
}

/** A trigger of a provider that no webhook of the tree serves. */
export interface UnservedTrigger {
  provider: string;
  at: Position;
  path: KeyPath;
}

/**
 * Warns about each provider trigger that no webhook of the tree serves as it is, with the file to change. (Provider triggers,
 * section 5.)
 *
 * @returns the triggers for which the tree has no webhook at all. `checkMissingWebhooks` warns about them
 */
export function checkServedTriggers(
  { triggers, places }: AutomationDefinition,
  diagnostics: FileDiagnostics,
  references: Pick<References, 'declared' | 'webhooks' | 'repositories'>,
): UnservedTrigger[] {
  const { declared, webhooks, repositories } = references;
  return [...triggers.entries()].flatMap(([index, trigger]) => {
    if (isWebhookTrigger(trigger) || !TRIGGER_PROVIDERS.has(trigger.provider)) return [];
    const place = { index, places };
    const { servedBy, obstacles } = explainServing(trigger, [...webhooks.values()], repositories);
    const counted = servedBy.length === 0 ? obstacles : obstacles.filter(({ kind }) => kind === 'unmapped-name');
    for (const obstacle of counted) {
      const problem = describeObstacle(trigger, obstacle, place);
      if (problem !== null) diagnostics.add(problem);
    }
    for (const problem of describeUnlisted(trigger, place, repositories)) diagnostics.add(problem);
    // A webhook with an invalid file may serve it.
    if (obstacles[0]?.kind !== 'no-webhook' || declared.size > webhooks.size) return [];
    const path: KeyPath = ['triggers', index];
    return [{ provider: trigger.provider, at: findPlace(path, place), path }];
  });
}

/** `null` for what the rules about the file itself and about missing webhooks report. */
function describeObstacle({ provider }: ProviderTrigger, obstacle: Obstacle, place: Place): FileProblem | null {
  const path: KeyPath = ['triggers', place.index];
  const notServed = { rule: 'automation/not-served' as const, at: findPlace(path, place), path };
  switch (obstacle.kind) {
    case 'not-evaluated':
    case 'no-repositories':
    case 'no-webhook':
      return null;
    case 'disabled':
      return {
        ...notServed,
        message: `webhooks/${obstacle.webhook}.yaml serves the provider ${quote(provider)}, but is disabled.`,
        hint: 'Set "enabled: true" in that file.',
      };
    case 'no-bot':
      return {
        ...notServed,
        message: `webhooks/${obstacle.webhook}.yaml does not say which account the trigger listens for.`,
        hint: `Set "botUsername" in that file, or list the account under "mentioned" in the filter.`,
      };
    case 'unmapped-name': {
      const list = [...path, 'filter', obstacle.key, obstacle.index];
      return {
        rule: 'automation/name-not-mapped',
        at: findPlace(list, place),
        path: list,
        message: `The name ${quote(obstacle.name)} cannot be resolved: webhooks/${obstacle.webhook}.yaml does not map it, and events carry only IDs.`,
        hint: `Add it to "names.${obstacle.names}" of webhooks/${obstacle.webhook}.yaml, or list the ID.`,
      };
    }
  }
}

/** Repositories of the filter that `factory.yaml` does not list. They match all the same. */
function describeUnlisted(
  { declared }: ProviderTrigger,
  place: Place,
  repositories: readonly string[] | null,
): FileProblem[] {
  const repos = isJsonObject(declared.filter) ? declared.filter.repos : null;
  const included = isJsonObject(repos) ? repos.in : repos;
  if (repositories === null || !Array.isArray(included)) return [];
  const listed = new Set(repositories.map((name) => name.toLowerCase()));
  return included.flatMap((name, index) => {
    if (typeof name !== 'string' || listed.has(name.trim().toLowerCase())) return [];
    const path = ['triggers', place.index, 'filter', 'repos', index];
    return {
      rule: 'automation/repository-not-listed' as const,
      at: findPlace(path, place),
      path,
      message: `factory.yaml does not list the repository ${quote(name)}. The trigger matches it all the same.`,
      hint: 'Add it to "repositories" of factory.yaml, or correct the name.',
    };
  });
}

function findPlace(path: KeyPath, { places, index }: Place): Position {
  return places.get(formatKeyPath(path)) ?? places.get(formatKeyPath(['triggers', index])) ?? { line: 1, column: 1 };
}
