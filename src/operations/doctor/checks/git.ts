import { findGitProblem } from '../../../reconcile/source/git-version.ts';
import type { Check } from '../patient.ts';

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
