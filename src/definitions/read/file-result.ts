import type { AutomationDefinition, WebhookDefinition } from '../../domain/definitions/definition.ts';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { LintSettings } from '../../domain/rules.ts';
import type { Findings } from '../file-diagnostics.ts';
import type { KeyPath } from '../yaml/key-path.ts';

/** What affects the results of all files of a tree. */
export interface ReadSettings {
  /** As in `SourceTree`. */
  prefix: string;
}

/**
 * Everything that reading one file shows: its definition, its problems, and what the rules across files need. Depends only on
 * the path and the bytes of the file, and survives a structured clone.
 */
export type FileResult = FactoryResult | WebhookResult | AutomationResult | SampleResult;

interface ReadFile {
  /** As in `TreeEntry`. */
  path: string;
  /** As in `TreeEntry`. */
  digest: string;
  findings: Findings;
}

export interface FactoryResult extends ReadFile {
  kind: 'factory';
  lint: LintSettings;
  /** As in `FactoryDefinition`. */
  repositories: string[] | null;
}

export interface WebhookResult extends ReadFile {
  kind: 'webhook';
  /** Counts only if there is no error in `findings` and `signatureFindings`. `null` if no settings allow it. */
  definition: WebhookDefinition | null;
  /** Counts only if there is no error in `findings`. */
  signatureFindings: Findings;
  /** Counts only with `definition`. */
  lintFindings: Findings;
}

export interface AutomationResult extends ReadFile {
  kind: 'automation';
  /** Counts only if there is no error in `findings`. `null` if no settings allow it. */
  definition: AutomationDefinition | null;
  /** `null` if the front matter cannot be parsed. */
  links: AutomationLinks | null;
}

/** The keys whose values name something in a folder of agent files. */
export type NamedFolderKey = 'agent' | 'runner';

/** What the rules across files compare in the front matter of an automation. */
export interface AutomationLinks {
  references: readonly ReferenceList[];
  /** The key `triggers`. */
  triggersAt: Position;
  /** The values of `agent` and `runner`; `null` if the file does not have the key. */
  namedAt: Readonly<Record<NamedFolderKey, Position | null>>;
  /** The webhook triggers and the triggers of known provider events of a valid automation, in order. */
  triggers: readonly LinkedTrigger[];
}

/** The entries of `webhooks`, or those of `webhook_ids` that are not UIDs. */
export interface ReferenceList {
  kind: 'names' | 'malformed-uids';
  /** Path of the list. */
  path: KeyPath;
  entries: PlacedTexts;
}

/** Texts of a list with their indexes and positions. Flat, because a hostile file has 100,000 of them. */
export interface PlacedTexts {
  texts: readonly string[];
  /** For each text: its index in the list, its line and its column. */
  places: readonly number[];
}

export interface LinkedTrigger {
  /** Index in the list of all triggers. */
  index: number;
  at: Position;
  /** The filter in its normal form. Of a provider trigger, with its provider and its event. */
  filter: string;
}

export interface SampleResult extends ReadFile {
  kind: 'sample';
  /** The names of all headers. The index of each is its number in the file. */
  headers: PlacedTexts;
  /** The names of automations in `starts`; empty if the sample is invalid. */
  starts: PlacedTexts;
  /** Credentials in the text. Reported after the problems of headers. */
  exposedFindings: Findings;
}

/** Reads one entry of `PlacedTexts`. */
export function placeOf({ places }: PlacedTexts, position: number): Position & { index: number } {
  const start = position * 3;
  return { index: places[start]!, line: places[start + 1]!, column: places[start + 2]! };
}

/** Collects texts with their places. */
export class PlacedTextList {
  readonly #texts: string[] = [];
  readonly #places: number[] = [];

  add(text: string, index: number, { line, column }: Position): void {
    this.#texts.push(text);
    this.#places.push(index, line, column);
  }

  toTexts(): PlacedTexts {
    return { texts: this.#texts, places: this.#places };
  }
}
