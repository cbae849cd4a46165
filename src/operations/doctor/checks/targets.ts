import type { Check, Symptom } from '../patient.ts';

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
