import { describe, expect, it } from 'vitest';
import type { Scheme } from '../scheme.ts';
import { DEFAULT_TOLERANCE_SECONDS } from './parts.ts';
import { findLastRetry, findTimeWindow, isBodySecondKey } from './retries.ts';
import { findScheme, SCHEMES } from './schemes.ts';

const need = (name: string) => findScheme(name)!;

function findFutureWindow(scheme: Scheme): number {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return 0;
  return scheme.timestamp.futureToleranceSeconds ?? scheme.timestamp.toleranceSeconds;
}

describe('what a provider does after a failure', () => {
  it.each(SCHEMES)('$name: the time window accepts the last retry, unless retries have a new timestamp', (scheme) => {
    const [window, last] = [findTimeWindow(scheme), findLastRetry(scheme.retries.plan)];
    if (window === null || last === null || scheme.retries.timestamp === 'renewed') return;
    expect(window).toBeGreaterThanOrEqual(last);
  });

  it.each(SCHEMES)('$name: a longer time window does not accept timestamps further ahead', (scheme) => {
    expect(findFutureWindow(scheme)).toBeLessThanOrEqual(DEFAULT_TOLERANCE_SECONDS);
  });

  it.each(SCHEMES)('$name: a source is a page, and belongs to a fact', ({ retries, eventId, success }) => {
    const hasFacts = retries.timestamp !== 'unknown' || retries.plan !== null;
    if (!hasFacts) expect(retries.sources).toEqual([]);
    const ofBody = [eventId?.source, success?.source].filter((source) => typeof source === 'string');
    const pages = [...retries.sources, ...ofBody];
    for (const page of pages) expect(new URL(page).protocol).toBe('https:');
  });

  it('has the time windows that were decided', () => {
    expect(findTimeWindow(need('linear'))).toBe(7.5 * 3600);
    expect(findTimeWindow(need('zoom'))).toBe(90 * 60);
    expect(findTimeWindow(need('slack'))).toBe(300);
    expect(findLastRetry(need('slack').retries.plan)).toBe(300);
    for (const name of ['stripe', 'standard_webhooks']) {
      expect(findTimeWindow(need(name))).toBe(300);
      expect(need(name).retries.timestamp).toBe('renewed');
    }
  });

  it('has the providers that take only 200 for a success', () => {
    const answers = SCHEMES.flatMap(({ name, success }) => (success ? [[name, success.status, success.body]] : []));
    expect(answers).toEqual([
      ['linear', 200, null],
      ['paddle', 200, null],
      ['teams', 200, '{"type":"message","text":"Received."}'],
      ['zoom', 200, null],
    ]);
  });

  it('has the schemes under which the body is a second key', () => {
    const withoutEventId = SCHEMES.filter((scheme) => isBodySecondKey(scheme) && scheme.eventId === undefined);
    expect(withoutEventId.map(({ name }) => name)).toEqual([
      'calendly',
      'discord',
      'hubspot_v3',
      'linear',
      'sendgrid',
      'zoom',
    ]);
    for (const { eventId, ...scheme } of SCHEMES)
      if (eventId) expect(isBodySecondKey({ ...scheme, eventId } as Scheme)).toBe(true);
  });

  it('has the events that their body identifies', () => {
    const places = SCHEMES.flatMap(({ name, eventId }) => (eventId ? [`${name} ${eventId.path.join('.')}`] : []));
    expect(places).toEqual([
      'azure_devops id',
      'box id',
      'circleci id',
      'intercom id',
      'paddle event_id',
      'slack event_id',
      'square event_id',
      'stripe id',
      'teams id',
      'typeform event_id',
      'vercel id',
      'workos id',
    ]);
  });
});
