import type { FileProblem } from '../file-diagnostics.ts';
import type { AutomationResult } from '../read/file-result.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import { quote } from '../yaml/key-path.ts';
import type { CheckedAutomation } from './check-references.ts';
import type { ProblemsByFile } from './check-same-triggers.ts';
import type { UnservedTrigger } from './check-served-triggers.ts';

/** The triggers for which one webhook is missing. */
interface MissingWebhook {
  first: { result: AutomationResult; trigger: UnservedTrigger };
  /** Names of the automations, in their order. */
  automations: string[];
}

/**
 * Warns once about each provider that no webhook of the tree serves, at the first of its triggers, because one file solves all.
 */
export function checkMissingWebhooks(automations: readonly CheckedAutomation[]): ProblemsByFile {
  const found = new Map<AutomationResult, FileProblem[]>();
  for (const { first, automations: names } of collectMissing(automations)) {
    const { result, trigger } = first;
    found.set(result, [...(found.get(result) ?? []), describe(trigger, names)]);
  }
  return found;
}

function collectMissing(automations: readonly CheckedAutomation[]): Iterable<MissingWebhook> {
  const missing = new Map<unknown, MissingWebhook>();
  for (const { result, definition, unserved } of automations) {
    for (const trigger of unserved) {
      // A provider can have two names.
      const provider = TRIGGER_PROVIDERS.get(trigger.provider);
      const known = missing.get(provider) ?? { first: { result, trigger }, automations: [] };
      if (known.automations.at(-1) !== definition!.name) known.automations.push(definition!.name);
      missing.set(provider, known);
    }
  }
  return missing.values();
}

const MAX_NAMED = 10;

function describe({ provider, at, path }: UnservedTrigger, names: readonly string[]): FileProblem {
  const named = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const affected = names.length === 1 ? '' : ` Its triggers never start these automations: ${named}${more}.`;
  const message = `No webhook serves the provider ${quote(provider)}.${affected}`;
  return { rule: 'automation/not-served', at, path, message, hint: sayWhatToAdd(provider) };
}

/** The file that serves the provider, with its keys. */
function sayWhatToAdd(provider: string): string {
  const { schemes } = TRIGGER_PROVIDERS.get(provider)!;
  const [scheme] = schemes;
  if (scheme === undefined) {
    return `Add webhooks/${provider}.yaml with "authMode: token", "serves: ${provider}" and "secretName".`;
  }
  return `Add webhooks/${provider}.yaml with "authMode: signature", "signatureScheme: ${scheme}" and "secretName".`;
}
