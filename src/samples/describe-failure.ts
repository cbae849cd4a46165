import type { SampleDecision } from './sample-result.ts';

/** How a decision differs from what its sample says; goes on after the name of the automation. */
export function describeFailure({ starts, message }: SampleDecision): string {
  if (starts) return `starts, but is not listed under "starts". ${message}`;
  return `is listed under "starts", but does not start: ${message}`;
}
