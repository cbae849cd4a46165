import type { ApiToken } from '../../access.ts';
import type { TokenId } from '../../ids.ts';

/** API tokens, stored as the SHA-256 of the token. The token has 256 random bits, so it needs no salt. */
export interface TokenTable {
  insert(token: ApiToken, hash: Uint8Array): Promise<void>;
  findByHash(hash: Uint8Array): Promise<ApiToken | null>;
  touch(id: TokenId, at: number): Promise<void>;
  list(): Promise<ApiToken[]>;
  /** `false` if the token is unknown. */
  revoke(id: TokenId): Promise<boolean>;
}
