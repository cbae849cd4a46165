import type { PlanChange } from '../../domain/applies/plan.ts';
import type { Commit } from '../../domain/applies/reconciliation.ts';

/** Kinds of objects that have a story. */
export const SUBJECT_KINDS = [
  'delivery',
  'run',
  'webhook',
  'automation',
  'commit',
  'reconciliation',
  'secret',
] as const;
type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** What a story is about, or what one of its steps refers to. */
export interface ObjectRef {
  kind: SubjectKind;
  /** `null` for a secret, which belongs to the team. */
  factory: string | null;
  /** The ID; for automations and secrets the name, for commits the revision. */
  id: string;
  /** What people call it. */
  name: string;
}

/** How a step ended. `now`: it is the current state, and it can change. */
export const STEP_OUTCOMES = ['ok', 'failed', 'warning', 'now', 'note'] as const;
type StepOutcome = (typeof STEP_OUTCOMES)[number];

/** One thing that happened. Texts contain what senders and commits say, so they must be escaped. */
export interface StoryStep {
  /** Wall time in milliseconds; `null` for a state that has no time. */
  at: number | null;
  outcome: StepOutcome;
  /** One or two sentences. */
  text: string;
  facts: { name: string; value: string }[];
  /** Name of the user or token that did it; `null` if no person did, or if it is not known. */
  by: string | null;
  /** The revision that was live or that caused it; `null` if none did. */
  commit: { revision: string; commit: Commit | null } | null;
  /** What it changed in the definition. */
  changes: PlanChange[];
  links: ObjectRef[];
  /** The command that shows more of this step; `null` if none does. */
  command: string | null;
  /** Does a story of everything list one by one what this step sums up? */
  expandable: boolean;
}

/** A command to run next. */
export interface NextCommand {
  /** What it is for, such as `Retry the run`. */
  purpose: string;
  command: string;
}

/** Why an object is in its state: what happened, in order. */
export interface Story {
  subject: ObjectRef;
  /** The deciding fact, in one or two sentences. */
  answer: string;
  /** In the order of time. Steps without a time come last. */
  steps: StoryStep[];
  /** The most useful one first. */
  next: NextCommand[];
}

type StepParts = Pick<StoryStep, 'at' | 'text'> & Partial<StoryStep>;

/** A step. Parts that are omitted are empty, and the outcome is `note`. */
export function createStep({ at, text, ...parts }: StepParts): StoryStep {
  const { outcome = 'note', facts = [], by = null, commit = null, changes = [], links = [], command = null } = parts;
  const { expandable = false } = parts;
  return { at, outcome, text, facts, by, commit, changes, links, command, expandable };
}

/** Orders steps by time. Steps of one time keep their order, and steps without a time come last. */
export function orderSteps(steps: readonly StoryStep[]): StoryStep[] {
  const timeOf = ({ at }: StoryStep) => at ?? Number.POSITIVE_INFINITY;
  return [...steps].sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) - timeOf(b)));
}

/** Facts with a value. */
export function listFacts(facts: Readonly<Record<string, string | null>>): StoryStep['facts'] {
  return Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}
