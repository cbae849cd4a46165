import { isOfSchedule } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { findNearMiss, suggest } from '../../domain/suggest.ts';
import type { FileProblem, ProblemCollector } from '../file-diagnostics.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import type { TriggerEvent, TriggerProvider } from '../triggers/trigger-event.ts';
import { type KeyPath, listAlternatives, quote } from '../yaml/key-path.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';
import { sayMoveBelowFilter } from './check-definition-schema.ts';
import { checkSchedules } from './check-schedules.ts';
import { checkTriggerFilter, type TriggerProblem } from './check-trigger-filter.ts';

/** Providers without a table of events: the schema has the keys of the first two, and `factory` has no events here. */
const OTHER_PROVIDERS = ['webhook', 'schedule', 'factory'];
const SCHEDULES = { title: 'The provider schedule', names: ['cron_fired'] };
const PROVIDERS = [...OTHER_PROVIDERS, ...TRIGGER_PROVIDERS.keys()];

/** Checks the triggers of all providers except `webhook`, whose keys the schema checks. */
export function checkProviderTriggers(yaml: YamlText, diagnostics: ProblemCollector): void {
  const triggers = isJsonObject(yaml.value) && Array.isArray(yaml.value.triggers) ? yaml.value.triggers : [];
  for (const [index, trigger] of triggers.entries()) {
    if (!isJsonObject(trigger) || typeof trigger.provider !== 'string') continue;
    addProblems(checkTrigger(trigger.provider, trigger, ['triggers', index]), yaml, diagnostics);
  }
  addProblems(checkSchedules(triggers), yaml, diagnostics);
}

function addProblems(problems: readonly TriggerProblem[], yaml: YamlText, diagnostics: ProblemCollector): void {
  diagnostics.addAll(problems.map((problem) => () => locate(problem, yaml)));
}

function locate({ on, ...problem }: TriggerProblem, yaml: YamlText): FileProblem {
  return { ...problem, at: yaml.locate(problem.path)[on] };
}

function checkTrigger(provider: string, trigger: JsonObject, path: KeyPath): TriggerProblem[] {
  if (provider === 'webhook') return [];
  if (!PROVIDERS.includes(provider)) return [describeUnknownProvider(provider, path)];
  const known = TRIGGER_PROVIDERS.get(provider);
  const misplaced = isMisplacedSchedule(provider, trigger) ? [describeMisplacedSchedule(path)] : [];
  if (misplaced.length === 0 && provider === 'schedule' && !isOfSchedule(trigger)) {
    return [describeUnknownEvent(SCHEDULES, trigger.event, path)];
  }
  return known === undefined ? misplaced : [...misplaced, ...checkEvent(provider, known, trigger, path)];
}

function describeUnknownProvider(provider: string, path: KeyPath): TriggerProblem {
  const meant = suggest(provider, PROVIDERS);
  const at = { path: [...path, 'provider'], on: 'value' as const };
  const all = `Known providers: ${PROVIDERS.join(', ')}.`;
  if (meant === 'webhook') {
    const message = `${quote(provider)} is not a provider.`;
    return { ...at, rule: 'automation/invalid-value', message, hint: 'Did you mean "webhook"?' };
  }
  const near = findNearMiss(provider, PROVIDERS);
  if (near !== null) {
    const message = `${quote(provider)} is not a provider, but almost one.`;
    return { ...at, rule: 'automation/misspelt-provider', message, hint: `Did you mean ${quote(near)}?` };
  }
  const message = `This version does not know the provider ${quote(provider)}. The trigger never starts here.`;
  const hint = meant === null ? all : `Did you mean ${quote(meant)}?`;
  return { ...at, rule: 'automation/unknown-provider', message, hint };
}

function isMisplacedSchedule(provider: string, { event, schedule }: JsonObject): boolean {
  return schedule !== undefined && (provider !== 'schedule' || (event !== undefined && event !== 'cron_fired'));
}

function describeMisplacedSchedule(path: KeyPath): TriggerProblem {
  return {
    rule: 'automation/unknown-key',
    path: [...path, 'schedule'],
    on: 'key',
    message: 'The key "schedule" is only valid with "provider: schedule" and "event: cron_fired".',
    hint: 'Remove the key, or add a separate trigger with "provider: schedule".',
  };
}

function checkEvent(name: string, provider: TriggerProvider, trigger: JsonObject, path: KeyPath): TriggerProblem[] {
  const { event, filter } = trigger;
  const known = typeof event === 'string' && Object.hasOwn(provider.events, event) ? provider.events[event] : undefined;
  if (known === undefined) {
    return [describeUnknownEvent({ title: provider.title, names: Object.keys(provider.events) }, event, path)];
  }
  const trail = { trigger: `${name} ${event as string}`, path: [...path, 'filter'] };
  const problems = [...findMisplacedKeys(known, trigger, path), ...checkTriggerFilter(known, filter ?? null, trail)];
  if (known.unserved === undefined) return problems;
  const message = `The event ${event as string} never starts an automation here: ${known.unserved}.`;
  const hint = 'Remove the trigger, or keep it for other systems that read this definition.';
  return [{ rule: 'automation/event-not-served', path: [...path, 'event'], on: 'value', message, hint }, ...problems];
}

/** Keys of the filter that are next to it. Other unknown keys may be those of another version. */
function findMisplacedKeys({ keys }: TriggerEvent, trigger: JsonObject, path: KeyPath): TriggerProblem[] {
  const misplaced = Object.keys(trigger).filter((key) => Object.hasOwn(keys, key));
  return misplaced.map((key) => ({
    rule: 'automation/misplaced-filter-key',
    path: [...path, key],
    on: 'key',
    message: `The key ${quote(key)} is not in the filter, so it is ignored.`,
    hint: sayMoveBelowFilter(key),
  }));
}

function describeUnknownEvent(
  { title, names }: { title: string; names: readonly string[] },
  event: Json | undefined,
  path: KeyPath,
): TriggerProblem {
  const rule = 'automation/unknown-event';
  if (event === undefined) {
    const message = `The trigger has no event, so it never starts here.`;
    return { rule, path, on: 'value', message, hint: `Add "event:" with ${listAlternatives(names)}.` };
  }
  const meant = typeof event === 'string' ? suggest(event, names) : null;
  const message = `${title} has no event ${quote(event)} that this version knows. The trigger never starts here.`;
  const hint = meant === null ? `Known events: ${names.join(', ')}.` : `Did you mean ${quote(meant)}?`;
  return { rule, path: [...path, 'event'], on: 'value', message, hint };
}
