import type { JsonSchema } from '../json.ts';
import { json } from './value-types.ts';

/** Names that filters of provider triggers use, and the IDs that payloads have instead. */
export const NAME_KINDS = ['channels', 'users', 'teams'] as const;
export type NameKind = (typeof NAME_KINDS)[number];
export type ProviderNames = { [kind in NameKind]?: { [name: string]: string } };

/** Number of entries of one kind. */
export const MAX_NAMES = 200;
export const MAX_NAME_CHARACTERS = 200;

const ID_SCHEMA = {
  type: 'string',
  title: 'ID',
  pattern: `^\\s*\\S{1,${MAX_NAME_CHARACTERS}}\\s*$`,
  patternErrorMessage: `an ID of at most ${MAX_NAME_CHARACTERS} characters without white space`,
  examples: ['C0123456789'],
};

/** A message about a name comes from its pattern. */
const NAMES_WORDING = {
  propertyNames: { elsewhere: true },
  maxProperties: {
    message: `names has more than ${MAX_NAMES} entries of one kind.`,
    hint: 'Use IDs in filters in place of names.',
  },
};

function describeNames(title: string, description: string, example: { [name: string]: string }): JsonSchema {
  return {
    type: 'object',
    title,
    description,
    examples: [example],
    propertyNames: {
      type: 'string',
      pattern: `^\\s*[#@]?[^\\s#@].{0,${MAX_NAME_CHARACTERS - 1}}$`,
      patternErrorMessage: `a name of at most ${MAX_NAME_CHARACTERS} characters`,
    },
    additionalProperties: ID_SCHEMA,
    maxProperties: MAX_NAMES,
    'x-says': NAMES_WORDING,
  };
}

/** The keys of `names` in a definition file. */
export const NAMES_KEYS: { [kind in NameKind]: JsonSchema } = {
  channels: describeNames('Channels', 'Slack: names of channels, and their IDs.', { triage: 'C0123456789' }),
  users: describeNames('Users', 'Slack: names of users, and their IDs.', { ann: 'U0456789012' }),
  teams: {
    ...describeNames('Teams', 'Microsoft Teams: IDs of teams in Microsoft Graph, and the IDs in payloads.', {
      'fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1': '19:a1b2c3@thread.tacv2',
    }),
    propertyNames: {
      type: 'string',
      pattern: '^\\s*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\s*$',
      patternErrorMessage: 'the ID of a team in Microsoft Graph, such as fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1',
    },
  },
};

/** `names` in the API. What is wrong with an entry is reported with the definition. */
const entries = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 1000 },
  maxProperties: MAX_NAMES,
};
export const namesOrNull = json<ProviderNames | null>({
  type: ['object', 'null'],
  properties: { channels: entries, users: entries, teams: entries },
  additionalProperties: false,
});

/** A name of a channel or an account, without the `#` or `@` that people write in front of it. */
export function bareName(written: string): string {
  return written.trim().replace(/^[#@]/, '');
}
