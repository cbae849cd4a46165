import type { Diagnostic } from '../core/diagnostic.ts';
import type { Json } from '../core/json.ts';

/** What an automation makes of a sample, as a delivery keeps it (interfaces, "Fine print", `explain`). */
export interface SampleDecision {
  automation: string;
  starts: boolean;
  /** The key that decided; `null` where no key did. */
  path: string | null;
  /** What the filter asked of that key. */
  expected: Json;
  /** What the body holds there, shortened; `null` also where it holds nothing (then `message` says so). */
  actual: Json;
  message: string;
}

/** `reported`: the sample expects nothing. `invalid`: it has findings, so nothing can be said about it. */
export type SampleOutcome = 'passed' | 'failed' | 'reported' | 'invalid';

/** One sample, judged. */
export interface SampleResult {
  webhook: string;
  name: string;
  file: string;
  description: string | null;
  outcome: SampleOutcome;
  /** What the sample says under `starts`; `null` where it says nothing. */
  expected: string[] | null;
  /** The automations that the delivery starts, in the order of their names. */
  started: string[];
  /** One for each automation that listens to the webhook, and for each that is expected and does not. */
  decisions: SampleDecision[];
  /** Why it failed: the decisions that are not what the sample says. */
  failures: SampleDecision[];
}

/** All that `dockbell test` has found out. */
export interface SampleReport {
  passed: boolean;
  /** The folder that `file` is relative to. */
  root: string;
  samples: SampleResult[];
  /** Automations with a trigger that selects webhooks by UID only: offline nobody knows which those are. */
  unjudged: string[];
  /** Errors of the definition, which keep every sample from being judged; findings about samples. */
  diagnostics: Diagnostic[];
  /** `file` of a diagnostic → text of that file, for excerpts. */
  sources: ReadonlyMap<string, string>;
  /** Are colours wanted? */
  color: boolean;
}

/** The samples of each webhook, in the order in which the webhooks come first. */
export function groupSamples(samples: readonly SampleResult[]): Map<string, SampleResult[]> {
  const groups = new Map<string, SampleResult[]>();
  for (const sample of samples) {
    const group = groups.get(sample.webhook);
    if (group === undefined) groups.set(sample.webhook, [sample]);
    else group.push(sample);
  }
  return groups;
}

/** How a decision differs from what its sample says; goes on after the name of the automation. */
export function describeFailure({ starts, message }: SampleDecision): string {
  if (starts) return `starts, but is not listed under "starts". ${message}`;
  return `is listed under "starts", but does not start: ${message}`;
}
