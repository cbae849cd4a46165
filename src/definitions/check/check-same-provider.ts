import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import { servedProvider } from '../triggers/served-provider.ts';
import { FILE_START } from '../yaml/positions.ts';
import type { CheckedAutomation } from './check-references.ts';
import type { CheckedWebhook } from './check-unused-webhooks.ts';

/**
 * Warns about each enabled webhook that serves the same provider as an earlier one, if triggers of the provider exist: an event
 * that both get arrives under two delivery IDs. (Provider triggers, section 5, rule 2.)
 */
export function checkSameProvider(
  webhooks: readonly CheckedWebhook[],
  automations: readonly CheckedAutomation[],
): void {
  const firsts = new Map<string, string>();
  for (const { definition, diagnostics } of webhooks) {
    const provider = definition?.enabled === true ? servedProvider(definition) : null;
    if (definition === null || provider === null) continue;
    const first = firsts.get(provider);
    if (first === undefined) firsts.set(provider, definition.name);
    else if (hasTrigger(automations, provider)) {
      const message = `webhooks/${first}.yaml serves the provider ${provider}, too. An event that both webhooks get starts two runs.`;
      const hint =
        'Let the provider send each event to one of them. If they are for two organizations, set this rule to "off" in factory.yaml.';
      diagnostics.add({ rule: 'webhook/same-provider', at: FILE_START, path: [], message, hint });
    }
  }
}

function hasTrigger(automations: readonly CheckedAutomation[], provider: string): boolean {
  const wanted = TRIGGER_PROVIDERS.get(provider);
  return automations.some(({ definition }) =>
    definition?.triggers.some((trigger) => TRIGGER_PROVIDERS.get(trigger.provider) === wanted),
  );
}
