import { checkRepository } from '../../../reconcile/source/check-repository.ts';
import { findGitProblem } from '../../../reconcile/source/git-version.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

/** Is git there, and new enough? */
export const gitCheck: Check = {
  name: 'git',
  run: async ({ config: { factories }, env }) => {
    // Live factories need no git.
    if (factories.every(({ source }) => source.type === 'live')) return [];
    const problem = await findGitProblem(env);
    if (problem === null) return [];
    return [
      { severity: 'error', message: problem, hint: 'Install git 2.32 or newer, and make sure that it is in PATH.' },
    ];
  },
};

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

/** Can something be posted to each target? A target that answers is not asked here: its condition shows failures. */
export const targetsCheck: Check = {
  name: 'targets',
  run: ({ config }): Symptom[] =>
    config.warnings.map(({ where, message }) => ({
      severity: 'error',
      message,
      hint: `Correct ${where}, then reload the configuration. Until then, nothing is posted there.`,
    })),
};
