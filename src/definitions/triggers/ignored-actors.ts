import type { IgnoredActors, ProviderCondition } from '../../domain/definitions/trigger.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';
import type { Source, TriggerProvider } from './trigger-event.ts';
import type { ValueCondition } from './trigger-pattern.ts';

/** The `key` of conditions on the accounts that acted. A delivery that they exclude has the outcome `ignored_actor`. */
export const IGNORED_ACTORS = 'ignoreActors';

/** No account that acted is listed. (Provider triggers, section 3, "the factory's own actions".) */
export function excludeActors({ provider, actors }: IgnoredActors): ValueCondition[] {
  const known = TRIGGER_PROVIDERS.get(provider);
  return known === undefined ? [] : [exclude(known, actors)];
}

/** The app or the bot of the webhook did not cause the event. */
export function excludeOwnActions(provider: TriggerProvider, { botUsername }: ProviderCondition): ValueCondition[] {
  const { ownApp } = provider.actors;
  const app: ValueCondition[] =
    ownApp === undefined
      ? []
      : [{ ...EXCLUDED, subject: 'the app of the webhook as its author', exists: false, from: ownApp }];
  return botUsername === undefined ? app : [...app, exclude(provider, [botUsername])];
}

/** No bot is at these places. Its mentions do not count. */
export function excludeBots(bots: readonly Source[]): ValueCondition[] {
  return bots.length === 0 ? [] : [{ ...EXCLUDED, subject: 'a bot as its author', exists: false, from: bots }];
}

const EXCLUDED = {
  key: IGNORED_ACTORS,
  subject: 'an ignored account',
  compare: 'login',
  in: null,
  notIn: null,
  exists: null,
  from: [],
  notInFrom: [],
} as const satisfies ValueCondition;

function exclude({ actors }: TriggerProvider, accounts: readonly string[]): ValueCondition {
  return { ...EXCLUDED, notIn: accounts, notInFrom: actors.accounts };
}
