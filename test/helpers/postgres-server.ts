import type { TestProject } from 'vitest/node';
import { startPostgres } from './start-postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a server of PostgreSQL without a database. */
    postgresUrl: string;
  }
}

/** Starts one server for all test files of a project, and stops it after them. Tests of faults start one that syncs. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // All files share the server. While a test holds a transaction, the server keeps the predicate locks of all databases.
  const server = await startPostgres(['fsync=off', 'autovacuum=off', 'max_pred_locks_per_transaction=1024']);
  project.provide('postgresUrl', server.url);
  return () => server.remove();
}
