import type { Run } from './api-types.ts';

/** Does a queued run with this reason wait until somebody changes the configuration? */
export function needsPerson({ reason }: NonNullable<Run['waiting']>): boolean {
  return reason === 'no_executor' || reason === 'factory_not_configured';
}
