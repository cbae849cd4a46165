import type { SessionTable, TokenTable, UserTable } from '../../domain/ports/access.ts';

/** Where credentials and rights are stored. */
export interface AccessTables {
  tokens: TokenTable;
  sessions: SessionTable;
  users: UserTable;
}

/** Calls its subscribers after a credential was revoked or the rights of somebody may have changed. */
export class AccessChanges {
  readonly #subscribers = new Set<() => void>();

  /** Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void {
    this.#subscribers.add(onChange);
    return () => void this.#subscribers.delete(onChange);
  }

  announce(): void {
    for (const onChange of [...this.#subscribers]) onChange();
  }
}

/** The same tables; each operation that can take rights away is announced once it is stored. */
export function announceAccessChanges(
  { tokens, sessions, users }: AccessTables,
  changes: Pick<AccessChanges, 'announce'>,
): AccessTables {
  const announcing =
    <Args extends unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await change(...args);
      changes.announce();
      return result;
    };
  return {
    tokens: { ...tokens, revoke: announcing(tokens.revoke) },
    sessions: { ...sessions, end: announcing(sessions.end), endAll: announcing(sessions.endAll) },
    users: {
      ...users,
      // The OpenID provider decides the role again at each sign-in.
      enterOidc: announcing(users.enterOidc),
      change: announcing(users.change),
      delete: announcing(users.delete),
    },
  };
}
