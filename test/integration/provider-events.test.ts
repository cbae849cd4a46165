import { describe, expect, it } from 'vitest';
import { compileFilters } from '../../src/definitions/filter/evaluate-filters.ts';
import { compileValues } from '../../src/definitions/filter/values/compile-values.ts';
import { compileTrigger } from '../../src/definitions/triggers/compile-trigger.ts';
import { TRIGGER_PROVIDERS } from '../../src/definitions/triggers/providers.ts';
import type { ProviderCondition, Received } from '../../src/domain/definitions/trigger.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { readRunContext } from '../../src/runs/read-context.ts';
import { makeRunInput } from '../helpers/command-runs.ts';
import {
  type ExpectedDelivery,
  type ExpectedValues,
  findProviderDelivery,
  mergePatch,
  readExpectedDeliveries,
  readProviderDeliveries,
} from '../helpers/provider-events.ts';

const PROVIDERS = ['github', 'gitlab', 'linear', 'jira', 'slack', 'teams', 'azure_devops'];

/** The account whose mentions start automations of GitLab. */
const BOT = { botUsername: 'dockbell' };

interface Case {
  provider: string;
  title: string;
  received: Received & { payload: JsonObject };
  expected: ExpectedDelivery;
}

const CASES = PROVIDERS.flatMap((provider) =>
  readExpectedDeliveries(provider).map((expected): Case => {
    const { payload, change = {} } = expected;
    const { headers, body } = findProviderDelivery(provider, payload);
    const lowercase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return {
      provider,
      title: `${provider} ${payload}${expected.change === undefined ? '' : ` with ${JSON.stringify(change)}`}`,
      received: { headers: Object.fromEntries(lowercase), payload: mergePatch(body, change) as JsonObject },
      expected,
    };
  }),
);

const eventsOf = (provider: string) => TRIGGER_PROVIDERS.get(provider)!.events;

function makeCondition(provider: string, event: string, filter: JsonObject = {}): ProviderCondition {
  return { provider, event, filter, ...(provider === 'gitlab' ? BOT : {}) };
}

const matches = (condition: ProviderCondition, received: Received) =>
  compileFilters([{ trigger: condition }]).matches(received);

/** The values that a key looks at, of all patterns of the trigger that match. */
function readValues(condition: ProviderCondition, key: string, received: Received) {
  const patterns = compileTrigger(condition);
  const of = (side: 'in' | 'notIn') =>
    patterns.flatMap(({ values }) => {
      const value = values.find((one) => one.key === key && one[side] !== null);
      return value === undefined ? [] : compileValues(value).read(received.payload)[side];
    });
  return { in: [...new Set(of('in'))], notIn: [...new Set(of('notIn'))] };
}

const textsOf = (values: readonly (string | number)[]) => values.map(String);

function sides(values: ExpectedValues): { in: string[]; notIn: string[] } {
  if (typeof values === 'string') return { in: [], notIn: [] };
  if (!('in' in values)) return { in: textsOf(values), notIn: textsOf(values) };
  return { in: textsOf(values.in), notIn: textsOf(values.not_in) };
}

describe('the payloads of providers', () => {
  it.each(PROVIDERS)('of %s are all expected to match something or nothing', (provider) => {
    const names = readProviderDeliveries(provider).map(({ name }) => name);
    expect(new Set(readExpectedDeliveries(provider).map(({ payload }) => payload))).toEqual(new Set(names));
  });

  it.each(PROVIDERS)('of %s have an example of each event that it delivers', (provider) => {
    const served = Object.entries(eventsOf(provider)).filter(([, { unserved }]) => unserved === undefined);
    const matched = new Set(readExpectedDeliveries(provider).flatMap(({ triggers }) => Object.keys(triggers)));
    expect(matched).toEqual(new Set(served.map(([event]) => event)));
  });

  it.each(CASES)('$title match exactly the expected trigger events', ({ provider, received, expected }) => {
    const matched = Object.keys(eventsOf(provider)).filter((event) =>
      matches(makeCondition(provider, event), received),
    );
    expect(new Set(matched)).toEqual(new Set(Object.keys(expected.triggers)));
  });

  it.each(CASES.filter(({ expected }) => Object.keys(expected.triggers).length > 0))(
    '$title have the values of each filter key',
    ({ provider, received, expected }) => {
      for (const [event, keys] of Object.entries(expected.triggers)) {
        const served = Object.entries(eventsOf(provider)[event]!.keys).filter(([, key]) => !('unserved' in key));
        expect(new Set(Object.keys(keys)), event).toEqual(new Set(served.map(([key]) => key)));
        for (const [key, values] of Object.entries(keys)) expectValues(event, key, values);
      }

      function expectValues(event: string, key: string, values: ExpectedValues): void {
        const listed = (value: string) => (key === 'pr_numbers' ? Number(value) : value);
        const with_ = (filter: JsonObject) => matches(makeCondition(provider, event, filter), received);
        const { in: included, notIn: excluded } = sides(values);
        // A name of Slack needs a map of names, an ID does not.
        const any = [key === 'pr_numbers' ? 1 : key.endsWith('users') ? 'U024BE91X' : 'C024BE91X'];
        const found = readValues(makeCondition(provider, event, { [key]: { in: any, not_in: any } }), key, received);
        // The name of the bot replaces the filter.
        if (!(key === 'mentioned' && provider === 'gitlab')) {
          expect([event, key, found]).toEqual([event, key, { in: included, notIn: excluded }]);
        }
        for (const value of included)
          expect([key, value, with_({ [key]: [listed(value)] })]).toEqual([key, value, true]);
        if (provider === 'gitlab' && key === 'mentioned') return;
        for (const value of excluded) {
          expect([key, value, with_({ [key]: { not_in: [listed(value)] } })]).toEqual([key, value, false]);
        }
        expect(with_({ [key]: [listed('999')] }), `${event} ${key}`).toBe(false);
      }
    },
  );

  it.each(CASES.filter(({ expected }) => expected.context !== undefined))(
    '$title give the context of a run',
    ({ provider, received, expected }) => {
      const events = Object.keys(expected.triggers);
      const webhook = { serves: provider as 'github', signatureScheme: null };
      const filters = events.map((event) => ({ trigger: makeCondition(provider, event) }));
      const origin = { webhook, headers: received.headers as { [name: string]: string }, filters };
      const payload = Buffer.from(JSON.stringify(received.payload));
      expect(readRunContext(makeRunInput({ origin, payload }))).toEqual({
        provider,
        event: events[0],
        events,
        ...expected.context,
      });
    },
  );
});
