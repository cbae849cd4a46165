import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import { isWebhookTrigger, type WebhookTrigger } from '../../domain/definitions/trigger.ts';
import { isWebhookUid } from '../../domain/ids.ts';
import type { FileDiagnostics, FileProblem } from '../file-diagnostics.ts';
import { type AutomationLinks, type AutomationResult, placeOf, type ReferenceList } from '../read/file-result.ts';
import { type KeyPath, quote } from '../yaml/key-path.ts';
import { createAgentNameCheck } from './check-agent-names.ts';
import { checkPings } from './check-pings.ts';
import { checkServedTriggers, type UnservedTrigger } from './check-served-triggers.ts';
import { createSuggester } from './create-suggester.ts';
import type { References } from './references.ts';

/** An automation whose file was read. */
export interface CheckedAutomation {
  result: AutomationResult;
  /** `null` if the automation is invalid. */
  definition: AutomationDefinition | null;
  /** Of the file, and of what it refers to. `null` if there are none. */
  diagnostics: FileDiagnostics | null;
  /** Does it refer to a webhook that does not exist? The hints depend on the other automations. */
  hasWrongReferences: boolean;
  /** The triggers of a valid and enabled automation for which the tree has no webhook. */
  unserved: readonly UnservedTrigger[];
}

const NONE_UNSERVED: readonly UnservedTrigger[] = [];

/** Creates the rules about one automation that need the webhooks of the tree. */
export function createReferenceCheck(
  references: References,
): (result: AutomationResult, diagnostics: FileDiagnostics) => CheckedAutomation {
  const describe = { names: createNameDescriber(references), 'malformed-uids': createUidDescriber(references) };
  const checkAgentNames = createAgentNameCheck(references.agentNames);
  return (result, diagnostics) => {
    const { links } = result;
    const definition = diagnostics.hasErrors() ? null : result.definition;
    const wrong = links === null ? [] : links.references.filter((list) => !isRight(list, references));
    for (const list of wrong) diagnostics.addAll(listWrong(list, references, describe[list.kind]));
    const unserved: UnservedTrigger[] = [];
    if (definition !== null && links !== null) checkAgentNames(definition, links, diagnostics);
    if (definition !== null && links !== null && definition.enabled && !diagnostics.hasErrors()) {
      checkReachable(definition, links, diagnostics, references);
      unserved.push(...checkServedTriggers(definition, diagnostics, references));
      checkPings(definition.triggers, diagnostics, references);
    }
    return {
      result,
      definition,
      diagnostics: diagnostics.isEmpty() ? null : diagnostics,
      hasWrongReferences: wrong.length > 0,
      unserved: unserved.length === 0 ? NONE_UNSERVED : unserved,
    };
  };
}

type Describe = (text: string, at: Position, path: KeyPath) => FileProblem;

function isRight({ kind, entries }: ReferenceList, { declared }: References): boolean {
  return kind === 'names' && entries.texts.every((name) => declared.has(name));
}

/** The entries that do not refer to a webhook. A hostile list has 100,000 of them. */
function* listWrong(
  { kind, path, entries }: ReferenceList,
  { declared }: References,
  describe: Describe,
): Generator<() => FileProblem> {
  for (const [position, text] of entries.texts.entries()) {
    if (kind === 'names' && declared.has(text)) continue;
    yield () => {
      const { index, line, column } = placeOf(entries, position);
      return describe(text, { line, column }, [...path, index]);
    };
  }
}

function createUidDescriber({ knownUids, declared }: References): Describe {
  return (text, at, path) => {
    const uid = knownUids.get(text);
    if (uid !== undefined || declared.has(text)) {
      const message = `${quote(text)} is the name of a webhook, but webhook_ids lists UIDs.`;
      const byName = `list the name under "webhooks" instead: webhooks: [${text}]`;
      const hint = uid === undefined ? `${capitalise(byName)}.` : `Write its UID, ${uid}, or ${byName}.`;
      return { rule: 'automation/name-as-uid', at, path, message, hint };
    }
    const message = `${quote(text)} is not a webhook UID. A UID is "wh_" and 26 lowercase letters and digits without i, l, o and u.`;
    const hint = 'Copy the UID from "dockbell webhook list", or list the names of webhooks under "webhooks".';
    return { rule: 'automation/malformed-uid', at, path, message, hint };
  };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function createNameDescriber({ declared }: References): Describe {
  const explain = createNameHints(declared);
  return (text, at, path) => {
    const message = `The webhook ${quote(text)} does not exist: webhooks/ contains no such file.`;
    return { rule: 'automation/unknown-webhook', at, path, message, hint: explain(text) };
  };
}

// Far above the usual limit of webhooks. A hostile tree declares thousands of webhooks and refers to thousands of unknown ones.
const MAX_WEBHOOKS_COMPARED = 200;

/** The hint for an unknown name. Finds the most similar name only once for each unknown one. */
function createNameHints(declared: ReadonlySet<string>): (name: string) => string {
  const suggestName = createSuggester(declared);
  const all = declared.size > MAX_WEBHOOKS_COMPARED ? '' : `Webhooks of this factory: ${[...declared].join(', ')}.`;
  return (name) => {
    if (isWebhookUid(name)) return 'This is a UID. List it under "webhook_ids".';
    if (declared.size === 0) return 'The factory has no webhooks. Add a file webhooks/<name>.yaml.';
    if (declared.size > MAX_WEBHOOKS_COMPARED) return 'Compare the name with the files in webhooks/.';
    const meant = suggestName(name.replace(/\.ya?ml$/i, ''));
    return meant === null ? all : `Did you mean ${quote(meant)}?`;
  };
}

function checkReachable(
  definition: AutomationDefinition,
  links: AutomationLinks,
  diagnostics: FileDiagnostics,
  references: References,
): void {
  if (definition.triggers.some((trigger) => !isWebhookTrigger(trigger) || canFire(trigger, references))) return;
  const message = 'No enabled webhook can start this automation.';
  const hint = 'Enable one of its webhooks, list another, or set "enabled: false" on the automation.';
  diagnostics.add({ rule: 'automation/unreachable', at: links.triggersAt, path: ['triggers'], message, hint });
}

/** An unknown UID may exist; only the apply can check it. A webhook with an invalid file may exist, too. */
function canFire(trigger: WebhookTrigger, { webhooks, declared, namesByUid }: References): boolean {
  const isLive = (name: string) => declared.has(name) && webhooks.get(name)?.enabled !== false;
  return (
    trigger.webhooks.some(isLive) ||
    trigger.webhookIds.some((uid) => {
      const name = namesByUid.get(uid);
      return name === undefined || isLive(name);
    })
  );
}
