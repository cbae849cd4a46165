import type { RandomBytes, RunId } from '../../domain/ids.ts';
import type { RunTokenTable } from '../../domain/ports/access.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { createCredential, hashCredential } from '../../platform/secrets/credential.ts';
import { API_PREFIX } from '../server/enforce-access.ts';

interface ReportAccessParts {
  runTokens: Pick<RunTokenTable, 'insert'>;
  /** Where receivers reach the admin listener, without a slash at its end. Known only once it listens. */
  adminUrl(): string;
  randomBytes: RandomBytes;
}

/** Creates what the receiver of a run needs to report about one attempt: the URL of the run, and a token that is stored as a hash. */
export function createReportAccess({ runTokens, adminUrl, randomBytes }: ReportAccessParts) {
  return async ({ id: run, attempt }: { id: RunId; attempt: number }) => {
    const token = createCredential('dbr_', randomBytes);
    await runTokens.insert({ run, attempt, hash: hashCredential(token) });
    return { url: `${adminUrl()}${API_PREFIX}/runs/${run}`, token: new SecretValue(token) };
  };
}
