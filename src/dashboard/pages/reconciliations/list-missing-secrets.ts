import type { Diagnostic } from '../../api/types.ts';

const MISSING_RULES = new Set(['secret/missing', 'automation/missing-run-secret']);

/** Names of the secrets that findings say do not exist; their messages end with the name. */
export function listMissingSecrets(diagnostics: readonly Diagnostic[]): string[] {
  const names = diagnostics
    .filter(({ rule }) => MISSING_RULES.has(rule))
    .map(({ message }) => /team secret named ([A-Za-z_][A-Za-z0-9_]*)/.exec(message)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
