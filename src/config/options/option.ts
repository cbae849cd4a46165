import type { RuleSetting } from '../../domain/messages/alert-rules.ts';
import type { TextFormat } from '../text-formats.ts';

/**
 * Type of the value of an option. Durations are written as `30s` and read as milliseconds. A `path` and a local
 * `repository` are resolved against the folder of the file that contains them. A `toggle` is
 * written as `on` or `off`, a `threshold` also as a value.
 */
export type OptionType =
  | { kind: 'text'; format: TextFormat }
  | { kind: 'list'; format: TextFormat }
  | { kind: 'path' }
  | { kind: 'repository' }
  | { kind: 'command' }
  | { kind: 'boolean' }
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'duration'; min: string; max: string }
  | { kind: 'choice'; values: readonly string[] }
  | RuleSetting;

export interface Option {
  /** Name that editors show. */
  title: string;
  type: OptionType;
  /** As written in the file; `null` if the description explains the default. */
  default: string | number | boolean | readonly string[] | null;
  /** Required if its section exists. */
  required?: true;
  /** The key exists only if the `type` of its section has this value. */
  onlyWith?: string;
  /** Unit of a number. Durations include their unit. */
  unit?: string;
  description: string;
  /** Values as written in the file. */
  examples: readonly (string | number | boolean | readonly string[])[];
  /** Environment variable that overrides the file. Items of lists are separated by commas. */
  env: string | null;
  /** May contain a credential: no error shows its value. */
  secret: boolean;
}

/** A timer of Node.js can wait for a little less than 25 days. */
export const LONGEST_TIMER = '24d';
