import type { Config } from '../config/config.ts';
import type { RunReader } from '../domain/ports/run-queue.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { Run } from '../domain/resources/run.ts';
import { createRedactor } from '../platform/secrets/redactor.ts';

interface ReportMaskParts {
  config: Pick<Config, 'factories'>;
  runs: Pick<RunReader, 'input'>;
  secrets: Pick<SecretStore, 'resolve'>;
}

/**
 * Masks what the receiver of a run reports: the secrets that the automation lists, the one that signs requests to the receiver,
 * and tokens of runs.
 */
export function createReportMask({ config, runs, secrets }: ReportMaskParts) {
  return async ({ id, factory }: Run): Promise<(text: string) => string> => {
    const redactor = createRedactor();
    const listed = (await runs.input(id))?.overrides.secrets;
    const executor = config.factories.find(({ name }) => name === factory)?.runs.executor;
    const signing = executor?.type === 'http' ? [executor.secretName] : [];
    for (const name of [...(Array.isArray(listed) ? listed : []), ...signing]) {
      const found = typeof name === 'string' ? await secrets.resolve(name, { factory, use: 'run' }) : null;
      if (found?.outcome === 'found') redactor.add(found.value);
    }
    return redactor.redactText;
  };
}
