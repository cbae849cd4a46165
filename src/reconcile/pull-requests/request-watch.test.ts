import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/helpers/command-runs.ts';
import { ENDLESS_TERM } from '../../../test/helpers/endless-term.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { RequestWatch, type RequestWatchParts, type WatchedFactory } from './request-watch.ts';

const request = (number: number) => ({
  number,
  title: `Request ${number}`,
  html_url: `https://git.example/pull/${number}`,
  head: { sha: String(number).repeat(40), repo: { full_name: 'team/factory' } },
  base: { ref: 'main', repo: { full_name: 'team/factory' } },
});

const factory: WatchedFactory = {
  name: 'payments',
  target: {
    type: 'github',
    url: 'https://git.example',
    repository: 'team/factory',
    context: 'dockbell/check',
    targetUrl: null,
    branch: 'main',
    format: 'standard',
    allowPrivateAddresses: false,
    secretName: 'TOKEN',
    requests: 'list',
  },
  pollIntervalMs: 60_000,
  hasBacktest: false,
  reportsUntouched: false,
  prefix: '',
};

it('checks all requests if what was reported about one cannot be read', async () => {
  const checked: number[] = [];
  const parts = {
    notifier: {
      findRequest: async (_factory: string, { number }: { number: number }) => {
        if (number === 1) throw new Error('unreadable');
        return { status: null, comment: null };
      },
      reportRequest: async () => {},
      skipRequest: async () => {},
    },
    inventory: { status: async () => ({ attemptedAt: 1, appliedRevision: 'a', attemptedRevision: 'a' }) },
    secrets: { resolve: async () => ({ outcome: 'found', version: 1, value: new SecretValue('token') }) },
    post: async () => ({ status: 200, headers: {}, body: JSON.stringify([request(1), request(2)]) }),
    check: async ({ head }: { head: { number: number } }) => {
      checked.push(head.number);
      return { outcome: 'untouched' };
    },
    onChanged: () => {},
    userAgent: 'dockbell/test',
    schedule: () => () => {},
    clock: { wallMs: () => 10, monotonicMs: () => 10 },
    logger: silentLogger,
  };
  const watch = new RequestWatch(factory, parts as unknown as RequestWatchParts);
  watch.start(ENDLESS_TERM);
  await eventually(() => checked.length === 2);
  await watch.stop();
  expect(checked.sort()).toEqual([1, 2]);
});
