import { describeEvents } from '../src/definitions/triggers/describe-events.ts';
import { TRIGGER_PROVIDERS } from '../src/definitions/triggers/providers.ts';
import type {
  Comparison,
  FilterKey,
  ServedKey,
  Source,
  TriggerEvent,
  TriggerProvider,
} from '../src/definitions/triggers/trigger-event.ts';
import type { JsonSchema } from '../src/domain/json.ts';

type Schemas = { [name: string]: JsonSchema };

/** The definitions of the schema that follow from the tables of providers begin with this. */
const PREFIX = 'providerTrigger';

/** How listed values are compared, as the end of a sentence. */
const COMPARED: { readonly [compare in Comparison]: string } = {
  exact: 'exactly',
  fold: 'in any letter case',
  login: 'in any letter case, with or without @',
  branch: 'with or without refs/heads/; *, ? and [ make a glob',
  glob: 'as a glob of the path from the root of the repository',
  text: 'as a part of the text, in any letter case',
  emoji: 'without colons and skin tone',
  number: 'as numbers',
};

/** One value of each key, as examples for editors. */
const EXAMPLES: { readonly [key: string]: string | number } = {
  repos: 'acme/payments',
  labels: 'bug',
  assignees: 'ann',
  authors: 'ann',
  mentioned: 'dockbell',
  base_branches: 'main',
  target_branches: 'main',
  branches: 'main',
  pr_numbers: 12,
  paths: 'api/**',
  reviewers: 'ann',
  reviewer_teams: 'acme/core',
  review_states: 'changes_requested',
  conclusions: 'failure',
  workflows: 'ci.yaml',
  actions: 'opened',
  team_ids: '9cfb482a-81e3-4154-b5b9-2c805e70a02d',
  teams: 'Engineering',
  project_ids: '7d1f0c6e-2f4e-4f0e-8d8e-6b0f5c9a3c11',
  projects: 'Shop',
  state_ids: '3c8d2c53-9d77-4e0a-9f7c-1f0f3a7d5512',
  states: 'Todo',
  assignee_ids: '5b0d9f1e-7f39-4e0b-8a77-3f3f0a9c2b02',
  creator_ids: '2f1c1a52-3d0a-4b55-9a5e-0c8f6d2f1a01',
  creators: 'Ann Lee',
  issue_ids: 'e1c1a9f4-0f0f-4a3b-9b51-5a1d8c3b7e10',
  issues: 'ENG-12',
  mentioned_user_ids: '5b0d9f1e-7f39-4e0b-8a77-3f3f0a9c2b02',
  keywords: 'deploy',
  project_keys: 'SHOP',
  status_ids: '3',
  channel_ids: 'C024BE91L',
  channels: 'triage',
  user_ids: 'U024BE91A',
  users: 'ann',
  item_user_ids: 'U024BE91B',
  item_users: 'bo',
  emojis: 'eyes',
  work_item_types: 'Bug',
};

/**
 * The definitions of `schemas/automation.schema.json` that complete and check the events and filter keys of provider triggers in
 * editors. The program does not use them: it checks triggers with the same tables, and knows warnings.
 */
export function describeProviderTriggers(): Schemas {
  const definitions = new Definitions();
  const names = [...new Set(TRIGGER_PROVIDERS.values())].map((provider) =>
    [...TRIGGER_PROVIDERS].filter(([, one]) => one === provider).map(([name]) => name),
  );
  const branches = names.map((aliases) =>
    describeCase('provider', aliases, { $ref: addTrigger(aliases[0]!, definitions) }),
  );
  return {
    [PREFIX]: {
      title: 'Trigger of a provider',
      description:
        'Starts the automation for an event of the provider. The webhooks that serve the provider receive it.',
      type: 'object',
      allOf: branches,
      examples: [{ provider: 'github', event: 'issue_labeled', filter: { labels: ['bug'] } }],
    },
    ...definitions.schemas,
  };
}

/** Whether a definition follows from the tables of providers. */
export function isOfProviderTriggers(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Definitions by name. Equal ones are the same. */
class Definitions {
  readonly schemas: Schemas = {};
  readonly #names = new Map<string, string>();

  /** Returns the reference. A number follows the name if another schema has it. */
  add(name: string, schema: JsonSchema): string {
    const text = JSON.stringify(schema);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const taken = Object.keys(this.schemas).filter((one) => one === name || one.startsWith(`${name}-`)).length;
    const unique = taken === 0 ? name : `${name}-${taken + 1}`;
    this.schemas[unique] = schema;
    const reference = `#/$defs/${unique}`;
    this.#names.set(text, reference);
    return reference;
  }
}

function addTrigger(name: string, definitions: Definitions): string {
  const provider = TRIGGER_PROVIDERS.get(name)!;
  const events = Object.entries(provider.events);
  const first = events[0]![0];
  return definitions.add(`${PREFIX}.${name}`, {
    title: `Trigger of ${provider.title}`,
    description: `Starts the automation for an event of ${provider.title}.`,
    type: 'object',
    required: ['event'],
    properties: {
      event: {
        title: 'Event',
        description: `Event of ${provider.title}. Dockbell warns about an event that it does not know, and the trigger never starts.`,
        type: 'string',
        enum: events.map(([event]) => event),
        enumDescriptions: events.map(([event, row]) => describeEvent(provider, row, { provider: name, event })),
        examples: [first],
      },
    },
    allOf: describeFilters(name, events, definitions),
    examples: [{ provider: name, event: first }],
  });
}

function describeEvent(
  { title }: TriggerProvider,
  { unserved, note }: TriggerEvent,
  trigger: { provider: string; event: string },
): string {
  if (unserved !== undefined) return `Never starts here: ${unserved}.`;
  const sent = `${title} sends ${describeEvents(trigger).join('; or ')}.`;
  return note === undefined ? sent : `${sent} ${note}`;
}

function isRequired(key: FilterKey): boolean {
  return 'required' in key && key.required !== undefined;
}

/** The filter of each event. Events with the same filter are one case. */
function describeFilters(
  name: string,
  events: readonly (readonly [string, TriggerEvent])[],
  definitions: Definitions,
): JsonSchema[] {
  const groups = new Map<string, { names: string[]; then: JsonSchema }>();
  for (const [event, row] of events) {
    const then = requireFilter(row, addFilter(name, row, definitions));
    const group = groups.get(JSON.stringify(then));
    if (group === undefined) groups.set(JSON.stringify(then), { names: [event], then });
    else group.names.push(event);
  }
  return [...groups.values()].map((group) => describeCase('event', group.names, group.then));
}

/** What holds if a key has one of these values. */
function describeCase(key: string, values: readonly string[], then: JsonSchema): JsonSchema {
  const condition = { type: 'object', properties: { [key]: { enum: values } }, required: [key] };
  return { if: condition, then };
}

function requireFilter({ keys, unserved }: TriggerEvent, filter: string): JsonSchema {
  const properties = { filter: { $ref: filter } };
  const needsFilter = unserved === undefined && Object.values(keys).some(isRequired);
  return needsFilter ? { required: ['filter'], properties } : { properties };
}

function addFilter(name: string, { keys, unserved }: TriggerEvent, definitions: Definitions): string {
  const entries = Object.entries(keys);
  const required = unserved === undefined ? entries.filter(([, key]) => isRequired(key)).map(([key]) => key) : [];
  const [example] = entries.find(([, key]) => !('unserved' in key))!;
  return definitions.add(`${PREFIX}.${name}.filter`, {
    title: 'Filter',
    description: 'Every key must match. An omitted key matches everything.',
    type: required.length === 0 ? ['object', 'null'] : 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(entries.map(([key, row]) => [key, { $ref: addKey(name, key, row, definitions) }])),
    examples: [{ [example]: [exampleOf(example)] }],
  });
}

function addKey(name: string, key: string, row: FilterKey, definitions: Definitions): string {
  const example = exampleOf(key);
  const item = addItem(`${name}.${key}`, row, example, definitions);
  const list = definitions.add(`${item.replace('#/$defs/', '')}s`, {
    title: 'Values',
    description: 'in: any of these values. not_in: none of them.',
    type: ['array', 'null'],
    items: { $ref: item },
    examples: [[example]],
  });
  const common = {
    title: key,
    description: describeKey(row),
    items: { $ref: item },
    examples: [[example]],
    ...('unserved' in row ? { deprecationMessage: describeKey(row) } : {}),
  };
  if (isRequired(row)) {
    const limits = (row as ServedKey).required === 'one' ? { minItems: 1, maxItems: 1 } : { minItems: 1 };
    return definitions.add(`${PREFIX}.${name}.${key}`, {
      ...common,
      type: ['array', 'object'],
      ...limits,
      additionalProperties: false,
      properties: { in: { $ref: list } },
    });
  }
  return definitions.add(`${PREFIX}.${name}.${key}`, {
    ...common,
    type: ['array', 'object', 'null'],
    additionalProperties: false,
    properties: { in: { $ref: list }, not_in: { $ref: list } },
  });
}

/** A value of a list. Values that the tables know are completed, and others are valid. */
function addItem(place: string, row: FilterKey, example: string | number, definitions: Definitions): string {
  const common = { title: 'Value', description: 'A value of the payload.' };
  if (!('unserved' in row) && row.compare === 'number') {
    return definitions.add(`${PREFIX}.number`, { ...common, type: 'integer', minimum: 1, examples: [example] });
  }
  if (!('unserved' in row) && row.known !== undefined) {
    const known = [...row.known, ...Object.keys(row.aliases ?? {})];
    const anyOf = [{ enum: known }, { type: 'string' }];
    return definitions.add(`${PREFIX}.${place}.value`, { ...common, type: 'string', anyOf, examples: [example] });
  }
  return definitions.add(`${PREFIX}.text`, { ...common, type: 'string', pattern: '\\S', examples: ['bug'] });
}

function describeKey(row: FilterKey): string {
  if ('unserved' in row) return `Cannot be evaluated: ${row.unserved}. A trigger with this key never starts here.`;
  const { compare, from, notInFrom, subject, nameFormOf, namesFrom } = row;
  const parts = [
    `Compared with ${subject ?? 'the repository'}${describePlaces(from)}, ${COMPARED[compare]}.`,
    ...(notInFrom === undefined ? [] : [`not_in is compared with the values${describePlaces(notInFrom)}.`]),
    ...(nameFormOf === undefined ? [] : [`One list with ${nameFormOf}.`]),
    ...(namesFrom === undefined ? [] : [`Names need names.${namesFrom} of the webhook.`]),
  ];
  return parts.join(' ');
}

/** The paths of a payload. A mention is in the text of the delivery, which depends on the event. */
function describePlaces(sources: readonly Source[]): string {
  const paths = sources.flatMap(({ path, otherwise, each }) => {
    const whole = each === undefined ? path : `${each.of}[*].${path}`;
    return [whole, otherwise ?? ''].filter((one) => one !== '');
  });
  return paths.length === 0 ? '' : ` at ${[...new Set(paths)].join(', ')}`;
}

function exampleOf(key: string): string | number {
  const example = EXAMPLES[key];
  if (example === undefined) throw new Error(`scripts/provider-trigger-schema.ts has no example of the key ${key}`);
  return example;
}
