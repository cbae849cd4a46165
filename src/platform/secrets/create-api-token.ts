import { API_TOKEN_TEXT, type ApiToken, RUN_TOKEN_TEXT, type TokenRole } from '../../domain/access/access.ts';
import type { IdSource, RandomBytes } from '../../domain/ids.ts';
import type { TokenTable } from '../../domain/ports/access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { createCredential, hashCredential } from './credential.ts';

const WHOLE_TOKEN = new RegExp(`^${API_TOKEN_TEXT.source}$`);
const WHOLE_RUN_TOKEN = new RegExp(`^${RUN_TOKEN_TEXT.source}$`);

/** Has this text the form of an API token? */
export function isApiTokenText(text: string): boolean {
  return WHOLE_TOKEN.test(text);
}

/** Has this text the form of a token of a run? */
export function isRunTokenText(text: string): boolean {
  return WHOLE_RUN_TOKEN.test(text);
}

/** What a new token may do. `factories` `null` is all of them, also later ones. */
interface ApiTokenRequest {
  name: string;
  role: TokenRole;
  factories: string[] | null;
  /** Wall time; `null` if it never expires. */
  expiresAt: number | null;
}

/** What making a token takes. */
export interface TokenParts {
  tokens: TokenTable;
  clock: Pick<Clock, 'wallMs'>;
  ids: IdSource;
  randomBytes: RandomBytes;
}

/** Makes and stores an API token. The text of the token is returned this once and can never be read again. */
export async function createApiToken(
  { tokens, clock, ids, randomBytes }: TokenParts,
  request: ApiTokenRequest,
): Promise<{ record: ApiToken; token: string }> {
  const token = createCredential('dbk_', randomBytes);
  const createdAt = clock.wallMs();
  const record: ApiToken = { id: ids.tokenId(createdAt), ...request, createdAt, lastUsedAt: null };
  await tokens.insert(record, hashCredential(token));
  return { record, token };
}
