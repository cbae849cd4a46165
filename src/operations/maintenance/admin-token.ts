import { readFile } from 'node:fs/promises';
import type { ApiToken } from '../../domain/access/access.ts';
import type { IdSource, RandomBytes } from '../../domain/ids.ts';
import type { TokenTable } from '../../domain/ports/access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { writeDurably } from '../../platform/files/write-durably.ts';
import { createApiToken } from '../../platform/secrets/create-api-token.ts';
import { hashCredential } from '../../platform/secrets/credential.ts';

const NAME = 'admin-token';

interface AdminTokenParts {
  tokens: TokenTable;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
}

/**
 * The first start leaves an owner token in the data directory, mode 0600, so that there is never an open or a default
 * way in (threat model W5). A file that an operator removed later stays removed. Says whether this was that start.
 *
 * @param isShared do other data directories use the same tokens? Then one that this directory does not have is valid
 */
export async function ensureAdminToken(parts: AdminTokenParts, file: string, isShared = false): Promise<boolean> {
  if (await isKnown(parts.tokens, file)) return false;
  const existing = await parts.tokens.list();
  if (isShared && existing.length > 0) return false;
  if (!existing.every(isUnusedFirstToken)) return false;
  // A start that was cut off between the table and the file: its token was never seen by anyone.
  for (const token of existing) await parts.tokens.revoke(token.id);
  await createAdminToken(parts, file);
  return true;
}

/** Creates a new owner token and revokes the first one. */
export async function replaceAdminToken(parts: AdminTokenParts, file: string): Promise<ApiToken> {
  const earlier = (await parts.tokens.list()).filter(({ name }) => name === NAME);
  const record = await createAdminToken(parts, file);
  for (const { id } of earlier) await parts.tokens.revoke(id);
  return record;
}

/**
 * The file is on disk before anybody can use the token: a token that was used once is not made again. It never expires,
 * because it is the way back in if all other tokens have expired.
 */
async function createAdminToken(parts: AdminTokenParts, file: string): Promise<ApiToken> {
  const { record, token } = await createApiToken(parts, {
    name: NAME,
    role: 'owner',
    factories: null,
    expiresAt: null,
  });
  await writeDurably(file, `${token}\n`);
  return record;
}

async function isKnown(tokens: TokenTable, file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text !== '' && (await tokens.findByHash(hashCredential(text.trim()))) !== null;
}

function isUnusedFirstToken(token: ApiToken): boolean {
  return token.name === NAME && token.lastUsedAt === null;
}
