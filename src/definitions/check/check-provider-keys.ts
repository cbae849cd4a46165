import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import { isJsonObject, readPath } from '../../domain/json.ts';
import { bareName, NAME_KINDS, type NameKind } from '../../domain/resources/provider-names.ts';
import { SERVES } from '../../domain/resources/webhook.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import { servedProvider } from '../triggers/served-provider.ts';
import type { TriggerProvider } from '../triggers/trigger-event.ts';
import { quote } from '../yaml/key-path.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';

type Declared = Pick<WebhookDefinition, 'serves' | 'signatureScheme' | 'names' | 'botUsername' | 'ignoreActors'>;

/** Reports keys about accounts of a provider that the webhook does not serve, and names that are listed twice. */
export function checkProviderKeys(webhook: Declared, yaml: YamlText, diagnostics: ProblemCollector): void {
  const served = servedProvider(webhook);
  for (const { path, isUsedBy } of listProviderKeys(webhook)) {
    if (served !== null && isUsedBy(TRIGGER_PROVIDERS.get(served)!)) continue;
    const users = SERVES.filter((name) => name !== 'none' && isUsedBy(TRIGGER_PROVIDERS.get(name)!));
    diagnostics.add({
      rule: 'webhook/unused-provider-key',
      at: yaml.locate(path).key,
      path,
      message: `${path.join('.')} has no effect, because this webhook serves ${served === null ? 'no provider' : `${served}`}.`,
      hint: `Remove the key, or set "serves" to one of: ${users.join(', ')}.`,
    });
  }
  for (const kind of NAME_KINDS) checkNames(kind, yaml, diagnostics);
}

interface ProviderKey {
  path: string[];
  isUsedBy(provider: TriggerProvider): boolean;
}

/** The keys that the webhook has. */
function listProviderKeys({ names, botUsername, ignoreActors }: Declared): ProviderKey[] {
  const kinds = NAME_KINDS.filter((kind) => names?.[kind] !== undefined);
  return [
    ...kinds.map((kind) => ({ path: ['names', kind], isUsedBy: (one: TriggerProvider) => resolvesNames(one, kind) })),
    ...(botUsername === null ? [] : [{ path: ['botUsername'], isUsedBy: needsName }]),
    ...(ignoreActors.length === 0 ? [] : [{ path: ['ignoreActors'], isUsedBy: () => true }]),
  ];
}

function resolvesNames({ events }: TriggerProvider, kind: NameKind): boolean {
  const keys = Object.values(events).flatMap((event) => Object.values(event.keys));
  return keys.some((key) => 'namesFrom' in key && key.namesFrom === kind);
}

function needsName({ events }: TriggerProvider): boolean {
  return Object.values(events).some((event) => event.needsName === true);
}

/** `#triage` and `triage` are one name. */
function checkNames(kind: NameKind, yaml: YamlText, diagnostics: ProblemCollector): void {
  const declared = readPath(yaml.value, ['names', kind]);
  const known = new Set<string>();
  for (const written of Object.keys(isJsonObject(declared) ? declared : {})) {
    const name = bareName(written);
    if (known.has(name)) {
      const path = ['names', kind, written];
      const message = `names.${kind} has the name ${quote(name)} twice.`;
      const hint = 'Remove one of the two. A # or @ in front of a name is ignored.';
      diagnostics.add({ rule: 'webhook/invalid-value', at: yaml.locate(path).key, path, message, hint });
    }
    known.add(name);
  }
}
