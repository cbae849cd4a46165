import { afterAll, beforeAll } from 'vitest';
import { CI_TOKEN, createCiRepository } from './ci-factory.ts';
import { startPostgres, type TestPostgres } from './start-postgres.ts';
import type { TempGitRepo } from './temp-git-repo.ts';
import type { TestDaemon } from './test-daemon.ts';

/** A server of PostgreSQL that syncs, and the repository of a factory, for all tests of a file. */
export interface CiOnPostgres {
  readonly server: TestPostgres;
  readonly repo: TempGitRepo;
}

/**
 * Opens both before the tests of a file. The properties may be read only inside tests and their hooks.
 *
 * @param flags as for `startPostgres`
 */
export function useCiOnPostgres(flags: readonly string[] = []): CiOnPostgres {
  let server: TestPostgres | undefined;
  let repo: TempGitRepo | undefined;
  beforeAll(async () => {
    [server, repo] = await Promise.all([startPostgres(flags), createCiRepository()]);
  });
  afterAll(async () => {
    repo?.remove();
    await server?.remove();
  });
  return {
    get server() {
      return server!;
    },
    get repo() {
      return repo!;
    },
  };
}

/** Posts a delivery to a webhook of this factory. */
export function sendToCi(
  { ingressUrl }: Pick<TestDaemon, 'ingressUrl'>,
  uid: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${ingressUrl}/webhooks/w/${uid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}`, ...headers },
    body: JSON.stringify(body),
  });
}
