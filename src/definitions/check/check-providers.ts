import { isJsonObject } from '../../core/json.ts';
import { suggest } from '../../core/suggest.ts';
import type { YamlText } from '../../yaml/parse-yaml.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';

/** The providers that definitions use. Dockbell serves only `webhook`. */
const PROVIDERS: ReadonlySet<string> = new Set([
  'webhook',
  'github',
  'gitlab',
  'linear',
  'jira',
  'slack',
  'schedule',
  'factory',
]);

/**
 * A provider that this version does not know keeps nothing from being applied, because it may be served elsewhere. A
 * misspelling of `webhook` is an error: the trigger was meant for Dockbell.
 */
export function checkProviders(yaml: YamlText, diagnostics: ProblemCollector): void {
  const triggers = isJsonObject(yaml.value) && Array.isArray(yaml.value.triggers) ? yaml.value.triggers : [];
  triggers.forEach((trigger, index) => {
    const provider = isJsonObject(trigger) ? trigger.provider : undefined;
    if (typeof provider !== 'string' || PROVIDERS.has(provider)) return;
    const path = ['triggers', index, 'provider'];
    const at = yaml.locate(path).value;
    const meant = suggest(provider, PROVIDERS);
    const shown = JSON.stringify(provider);
    if (meant === 'webhook') {
      const message = `There is no provider ${shown}.`;
      diagnostics.add({ rule: 'automation/misspelled-provider', at, path, message, hint: 'Did you mean "webhook"?' });
      return;
    }
    const message = `This version does not know the provider ${shown}: the trigger starts nothing here.`;
    const hint =
      meant === null
        ? 'Keep the trigger if another service handles it. To start runs here, add a trigger with "provider: webhook".'
        : `Did you mean "${meant}"?`;
    diagnostics.add({ rule: 'automation/unknown-provider', at, path, message, hint });
  });
}
