import { readFile, rename, writeFile } from 'node:fs/promises';
import { createApiToken, hashApiToken } from '../api/auth/create-api-token.ts';
import type { ApiToken } from '../core/access.ts';
import type { Clock } from '../core/clock.ts';
import type { IdSource, RandomBytes } from '../core/ids.ts';
import type { TokenTable } from '../core/ports/token-table.ts';

const NAME = 'admin-token';

export interface AdminTokenParts {
  tokens: TokenTable;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
}

/**
 * The first start leaves an owner token in the data directory, mode 0600, so that there is never an open or a default
 * way in (threat model W5). A file that an operator removed later stays removed.
 */
export async function ensureAdminToken(parts: AdminTokenParts, file: string): Promise<void> {
  if (await isKnown(parts.tokens, file)) return;
  const existing = await parts.tokens.list();
  if (!existing.every(isUnusedFirstToken)) return;
  // A start that was cut off between the table and the file: its token was never seen by anyone.
  for (const token of existing) await parts.tokens.revoke(token.id);
  const { token } = await createApiToken(parts, { name: NAME, role: 'owner', factories: null });
  await writeFile(`${file}.new`, `${token}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function isKnown(tokens: TokenTable, file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text !== '' && (await tokens.findByHash(hashApiToken(text.trim()))) !== null;
}

function isUnusedFirstToken(token: ApiToken): boolean {
  return token.name === NAME && token.lastUsedAt === null;
}
