import type { ApiToken } from '../../access.ts';
import type { TokenId } from '../../ids.ts';

/** API tokens; stored as SHA-256 of the token, which has 256 random bits of its own. */
export interface TokenTable {
  insert(token: ApiToken, hash: Uint8Array): Promise<void>;
  findByHash(hash: Uint8Array): Promise<ApiToken | null>;
  touch(id: TokenId, at: number): Promise<void>;
  list(): Promise<ApiToken[]>;
  /** `false` where there is no such token. */
  revoke(id: TokenId): Promise<boolean>;
}
