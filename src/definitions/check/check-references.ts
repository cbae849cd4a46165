import type { AutomationDefinition, WebhookDefinition } from '../../core/definition.ts';
import type { Position } from '../../core/diagnostic.ts';
import { isWebhookUid } from '../../core/ids.ts';
import { isWebhookTrigger, type WebhookTrigger } from '../../core/trigger.ts';
import { type KeyPath, quote } from '../../yaml/key-path.ts';
import type { FileDiagnostics, FileProblem } from '../file-diagnostics.ts';
import { type AutomationLinks, placeOf, type ReferenceList } from '../read/file-result.ts';
import { createSuggester } from './create-suggester.ts';

/** What the rules across files look names up in. */
export interface References {
  /** Names of all webhooks that the tree declares, also of those whose files are wrong. */
  declared: ReadonlySet<string>;
  /** Those that could be read. */
  webhooks: ReadonlyMap<string, WebhookDefinition>;
  /** Name of a webhook that has been applied → its UID. */
  knownUids: ReadonlyMap<string, string>;
  /** The same the other way round. */
  namesByUid: ReadonlyMap<string, string>;
}

/** An automation whose file was read, and the diagnostics of the file. */
export interface CheckedAutomation {
  /** `null` if the automation is invalid. */
  definition: AutomationDefinition | null;
  /** `null` if the front matter cannot be parsed. */
  links: AutomationLinks | null;
  diagnostics: FileDiagnostics;
}

/** Creates the rules about one automation that need the other files of the tree. */
export function createReferenceCheck(references: References): (automation: CheckedAutomation) => void {
  const describe = { names: createNameDescriber(references), 'malformed-uids': createUidDescriber(references) };
  return (automation) => {
    const { links, diagnostics } = automation;
    if (links === null) return;
    for (const list of links.references) {
      if (isRight(list, references)) continue;
      diagnostics.addAll(listWrong(list, references, describe[list.kind]));
    }
    if (!diagnostics.hasErrors()) checkReachable(automation, references);
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

function checkReachable({ definition, links, diagnostics }: CheckedAutomation, references: References): void {
  if (definition === null || links === null || !definition.enabled) return;
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
