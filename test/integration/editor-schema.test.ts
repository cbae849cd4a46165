import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { TRIGGER_PROVIDERS } from '../../src/definitions/triggers/providers.ts';
import { readSchema } from '../../src/definitions/yaml/schemas.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { readExpectedDeliveries } from '../helpers/provider-events.ts';

interface Part {
  enum?: string[];
  enumDescriptions?: string[];
  description?: string;
  deprecationMessage?: string;
  properties?: { [key: string]: Part };
  $ref?: string;
  allOf?: { if: Part; then: Part }[];
}

const schema = readSchema('automation') as unknown as { $defs: { [name: string]: Part } };
const follow = ({ $ref, ...part }: Part): Part =>
  $ref === undefined ? part : schema.$defs[$ref.replace('#/$defs/', '')]!;

/** The schema that holds for one value of a key, as an editor finds it. */
function pick(part: Part, key: string, value: string): Part {
  return follow(part.allOf!.find((one) => one.if.properties![key]!.enum!.includes(value))!.then);
}

const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

/** The places of violations in the schema of automations. */
function check(...triggers: JsonObject[]): string[] {
  validate({ triggers });
  const places = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return places.map(({ instancePath, keyword }) => `${instancePath.replace('/triggers/0', '')} ${keyword}`);
}

const EVENTS = [...TRIGGER_PROVIDERS].flatMap(([provider, { events }]) =>
  Object.keys(events).map((event): [string, string] => [provider, event]),
);

describe('the schema for editors', () => {
  it.each([...TRIGGER_PROVIDERS])(
    'completes the events of %s, with what the provider sends',
    (name, { title, events }) => {
      const { enum: values, enumDescriptions } = pick(schema.$defs.providerTrigger!, 'provider', name).properties!
        .event!;
      expect(values).toEqual(Object.keys(events));
      for (const description of enumDescriptions!)
        expect(description).toMatch(new RegExp(`^(${title} sends|Never starts)`));
    },
  );

  it.each(EVENTS)('completes the filter keys of %s %s, with descriptions', (name, event) => {
    const trigger = pick(schema.$defs.providerTrigger!, 'provider', name);
    const { properties } = follow(pick(trigger, 'event', event).properties!.filter!);
    const { keys } = TRIGGER_PROVIDERS.get(name)!.events[event]!;
    expect(Object.keys(properties!)).toEqual(Object.keys(keys));
    for (const [key, row] of Object.entries(keys)) {
      const { description, deprecationMessage } = follow(properties![key]!);
      expect(description, key).toMatch('unserved' in row ? /^Cannot be evaluated: / : /^Compared with .*\.$/);
      expect(deprecationMessage !== undefined, key).toBe('unserved' in row);
    }
  });

  it.each([...new Set(EVENTS.map(([provider]) => provider))].filter((name) => name !== 'azure-devops'))(
    'accepts the values of the payloads of %s',
    (provider) => {
      for (const { triggers } of readExpectedDeliveries(provider)) {
        for (const [event, keys] of Object.entries(triggers)) {
          const found = Object.entries(keys).filter(([, values]) => typeof values !== 'string');
          // Both keys of Microsoft Teams are required.
          expect(check({ provider, event, filter: Object.fromEntries(found) as JsonObject }), event).toEqual([]);
        }
      }
    },
  );

  it.each<[title: string, trigger: JsonObject, violations: string[]]>([
    ['no filter', { provider: 'github', event: 'push', filter: null }, []],
    ['an unknown provider', { provider: 'gitea', event: 'x', filter: { a: 1 } }, []],
    ['another name of a provider', { provider: 'azure-devops', event: 'work_item_created' }, []],
    ['an unserved key', { provider: 'github', event: 'pull_request_opened', filter: { paths: ['a'] } }, []],
    [
      'a value that is not known',
      { provider: 'github', event: 'check_suite_completed', filter: { conclusions: ['new'] } },
      [],
    ],
    ['an unknown event', { provider: 'github', event: 'issue_labelled' }, ['/event enum']],
    ['the event of another provider', { provider: 'jira', event: 'push' }, ['/event enum']],
    ['no event', { provider: 'slack' }, [' required']],
    [
      'an unknown key',
      { provider: 'jira', event: 'issue_created', filter: { lables: ['a'] } },
      ['/filter additionalProperties'],
    ],
    [
      'a key of another event',
      { provider: 'github', event: 'push', filter: { labels: ['a'] } },
      ['/filter additionalProperties'],
    ],
    [
      'a text instead of a list',
      { provider: 'github', event: 'issue_created', filter: { labels: 'a' } },
      ['/filter/labels type'],
    ],
    [
      'an unknown operator',
      { provider: 'github', event: 'issue_created', filter: { labels: { any: ['a'] } } },
      ['/filter/labels additionalProperties'],
    ],
    [
      'a text instead of a number',
      { provider: 'github', event: 'pull_request_opened', filter: { pr_numbers: ['12'] } },
      ['/filter/pr_numbers/0 type'],
    ],
    [
      'no channel of Microsoft Teams',
      { provider: 'teams', event: 'app_mention', filter: { team_ids: ['19:a'] } },
      ['/filter required'],
    ],
    [
      'two teams',
      { provider: 'teams', event: 'app_mention', filter: { team_ids: ['19:a', '19:b'], channel_ids: ['19:c'] } },
      ['/filter/team_ids maxItems'],
    ],
  ])('reports exactly the violations of a trigger with %s', (_, trigger, violations) => {
    expect(check(trigger)).toEqual(violations);
  });
});
