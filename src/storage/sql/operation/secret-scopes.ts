import type { Transaction } from 'kysely';
import { SECRET_USES, type SecretScope } from '../../../domain/secrets/secret-scope.ts';
import type { Schema } from '../schema/schema.ts';
import { SECRET_SCOPES } from '../schema/tables.ts';

/** Replaces the name of a factory in the scopes of all secrets; `null` removes it. */
export async function replaceInScopes(trx: Transaction<Schema>, from: string, to: string | null): Promise<void> {
  const secrets = await trx.selectFrom('secret_names').selectAll().execute();
  for (const row of secrets) {
    const scope = SECRET_SCOPES.fromRow(row);
    if (!SECRET_USES.some((use) => scope[use]?.includes(from))) continue;
    const replaced: SecretScope = { webhook: replaceIn(scope.webhook, from, to), run: replaceIn(scope.run, from, to) };
    await trx.updateTable('secret_names').set(SECRET_SCOPES.toRow(replaced)).where('name', '=', row.name).execute();
  }
}

function replaceIn(factories: SecretScope['run'], from: string, to: string | null): SecretScope['run'] {
  if (factories === null || !factories.includes(from)) return factories;
  const others = factories.filter((name) => name !== from);
  return to === null ? others : [...new Set([...others, to])].sort();
}
