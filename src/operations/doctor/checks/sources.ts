import { checkRepository } from '../../../reconcile/source/check-repository.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

/** Can the repository of each factory be reached, and does the production branch exist? */
export const sourcesCheck: Check = {
  name: 'sources',
  run: async (patient) => {
    const found = await Promise.all(patient.config.factories.map((factory) => examineSource(patient, factory)));
    return found.flat();
  },
};

async function examineSource({ env }: Patient, factory: Patient['config']['factories'][number]): Promise<Symptom[]> {
  const { name, source } = factory;
  if (source.type !== 'repository') return [];
  const answer = await checkRepository({ url: source.url, branch: source.branch, environment: env });
  if (answer.ok) return [];
  const hint = `Check source.url, source.branch and the credentials of the factory ${name}. The last applied definition stays live.`;
  return [{ severity: 'error', message: `factory ${name}: ${answer.message}`, hint }];
}
