import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { Json } from '../../domain/json.ts';

/** The decision of an automation for a sample, in the form of the decisions of a delivery (interfaces, `explain`). */
export interface SampleDecision {
  automation: string;
  starts: boolean;
  /** The key that decided; `null` if no key decided. */
  path: string | null;
  /** The expectation of the filter for that key. */
  expected: Json;
  /** The value in the body, shortened; `null` also if the key is absent (`message` distinguishes them). */
  actual: Json;
  message: string;
}

/** `reported`: the sample has no expectations. `invalid`: it has diagnostics, so it was not evaluated. */
export type SampleOutcome = 'passed' | 'failed' | 'reported' | 'invalid';

/** The result of one sample. */
export interface SampleResult {
  /** The webhook that receives it; `null` for an invalid sample of an automation. */
  webhook: string | null;
  name: string;
  file: string;
  description: string | null;
  outcome: SampleOutcome;
  /** The `starts` of the sample; `null` if it has none. */
  expected: string[] | null;
  /** The automations that the delivery starts, sorted by name. */
  started: string[];
  /** One per automation with a trigger for the webhook, and per other expected automation. */
  decisions: SampleDecision[];
  /** The decisions that differ from what the sample expects. */
  failures: SampleDecision[];
}

/** The data of a report of `dockbell test`. */
export interface SampleReport {
  passed: boolean;
  /** The folder that `file` is relative to. */
  root: string;
  samples: SampleResult[];
  /** Automations with a trigger that selects webhooks only by UID, which are unknown offline. */
  unjudged: string[];
  /** Errors of the definition, which prevent all evaluations, and diagnostics about samples. */
  diagnostics: Diagnostic[];
  /** `file` of a diagnostic → text of that file, for excerpts. */
  sources: ReadonlyMap<string, string>;
  /** Use colors? */
  color: boolean;
}

/** The samples by webhook, in the order of their first sample. */
export function groupSamples(samples: readonly SampleResult[]): Map<string, SampleResult[]> {
  const groups = new Map<string, SampleResult[]>();
  for (const sample of samples) {
    const name = sample.webhook ?? 'automations';
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [sample]);
    else group.push(sample);
  }
  return groups;
}

/** How a decision differs from the expectation; follows the name of the automation. */
export function describeFailure({ starts, message }: SampleDecision): string {
  if (starts) return `starts, but is not listed under "starts". ${message}`;
  return `is listed under "starts", but does not start: ${message}`;
}
