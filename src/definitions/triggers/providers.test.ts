import { describe, expect, it } from 'vitest';
import { parsePattern } from '../filter/parse-pattern.ts';
import { parsePath } from '../filter/payload-path.ts';
import { findScheme } from '../signature/schemes/schemes.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';
import type { Source, TriggerEvent } from './trigger-event.ts';

const PROVIDERS = [...TRIGGER_PROVIDERS];

const EVENTS = [...TRIGGER_PROVIDERS].flatMap(([provider, { events }]) =>
  Object.entries(events).map(([name, event]): [string, TriggerEvent] => [`${provider} ${name}`, event]),
);

function listSources({ keys, deliveries }: TriggerEvent): Source[] {
  const ofKeys = Object.values(keys).flatMap((key) =>
    'unserved' in key ? [] : [...key.from, ...(key.notInFrom ?? [])],
  );
  return [...ofKeys, ...deliveries.flatMap(({ requires = [] }) => requires.flatMap(({ from }) => from))];
}

function listPaths(event: TriggerEvent): string[] {
  const ofSources = listSources(event).flatMap(({ path, otherwise, prefix, ifEqual, without, each }) => [
    path,
    otherwise,
    prefix,
    ...(ifEqual ?? []),
    without,
    each?.of,
    each?.unless?.[1],
  ]);
  const ofDeliveries = event.deliveries.flatMap(({ text, requires = [] }) => [
    text,
    ...requires.map(({ otherwise }) => otherwise?.seen),
  ]);
  return [...ofSources, ...ofDeliveries].filter((path) => path !== undefined && path !== '') as string[];
}

describe('the tables of providers', () => {
  it.each([...TRIGGER_PROVIDERS])('%s has schemes that exist', (_, { schemes }) => {
    for (const scheme of schemes) expect(findScheme(scheme)?.name).toBe(scheme);
  });
});

describe('the tables of trigger events', () => {
  it('have the events of GitHub and no others', () => {
    expect(Object.keys(TRIGGER_PROVIDERS.get('github')!.events)).toEqual([
      'push',
      'issue_created',
      'issue_labeled',
      'issue_assigned',
      'issue_mentioned',
      'pull_request_opened',
      'pull_request_ready',
      'pull_request_synchronized',
      'pull_request_reopened',
      'pull_request_labeled',
      'pull_request_closed',
      'pull_request_merged',
      'pull_request_assigned',
      'pull_request_mentioned',
      'pull_request_review_requested',
      'pull_request_review_submitted',
      'check_suite_completed',
      'workflow_run_completed',
      'check_run_rerequested',
      'check_suite_rerequested',
    ]);
  });

  it.each(EVENTS)('%s has paths and patterns that the filter engine can read', (_, event) => {
    for (const path of listPaths(event)) expect(parsePath(path), path).not.toBeNull();
    const conditions = [...event.deliveries.map(({ when }) => when), event.unless?.when];
    for (const when of conditions) expect(when === undefined || parsePattern(when).ok, JSON.stringify(when)).toBe(true);
  });

  it.each(PROVIDERS)('%s has paths of its context and its actors that the filter engine can read', (_, provider) => {
    const { context, actors } = provider;
    const places = [...Object.values(context), actors.accounts, actors.ownApp ?? []].flat();
    const paths = places.flatMap((place) =>
      'base' in place ? [place.base, place.path] : [place.path, place.prefix ?? [], place.ifEqual ?? []].flat(),
    );
    for (const path of paths) expect(parsePath(path), path).not.toBeNull();
  });

  it.each(EVENTS)('%s has deliveries, or a reason why it has none', (_, { deliveries, unserved }) => {
    expect(deliveries.length > 0).toBe(unserved === undefined);
  });

  it.each(EVENTS)('%s refers only to keys that it has', (_, { keys, either, unless }) => {
    const named = [...(either ?? []), unless?.key].filter((key) => key !== undefined);
    const forms = Object.values(keys).flatMap((key) => ('unserved' in key ? [] : (key.nameFormOf ?? [])));
    expect(Object.keys(keys)).toEqual(expect.arrayContaining([...named, ...forms]));
  });

  it.each(EVENTS)('%s reads mentions only from deliveries with a text', (_, event) => {
    const readsText = listSources(event).some(({ path }) => path === '');
    if (readsText || event.needsMention) {
      expect(event.deliveries.map(({ text }) => text)).not.toContain(undefined);
    }
  });
});
