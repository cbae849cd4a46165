import { expect, it } from 'vitest';
import type { ApiToken } from '../../domain/access/access.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { logExpiring } from './token-expiry.ts';

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;

it('names the tokens that expire within 14 days, not the expired ones and those without an end', async () => {
  const ends = {
    never: null,
    expired: NOW_MS,
    soon: NOW_MS + 1,
    inTime: NOW_MS + 14 * DAY_MS,
    later: NOW_MS + 15 * DAY_MS,
  };
  const tokens = Object.entries(ends).map(
    ([name, expiresAt]): ApiToken => ({
      id: `tok_${name}`,
      name,
      role: 'viewer',
      factories: null,
      createdAt: 0,
      lastUsedAt: null,
      expiresAt,
    }),
  );
  const warned: unknown[] = [];
  const log = () => {};
  const warn: Logger['warn'] = (fields, message) => warned.push([fields.name, message]);
  const logger: Logger = { info: log, warn, error: log, child: () => logger };
  await logExpiring({ tokens: { list: async () => tokens }, clock: { wallMs: () => NOW_MS }, logger });
  expect(warned).toEqual([
    ['soon', 'API token expires soon'],
    ['inTime', 'API token expires soon'],
  ]);
});
