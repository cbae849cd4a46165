import type { Story, StoryStep } from '../../client/api-types.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { diffValues } from '../../domain/words/yaml-text.ts';
import type { Colors } from './colors.ts';
import { describeCommit, shortenRevision } from './describe-reconciliation.ts';
import type { Output } from './output.ts';
import { printDiff } from './print-diff.ts';

/** Prints the deciding fact, the steps in their order, and the next commands. */
export function printStory(output: Output, { subject, answer, steps, next }: Story): void {
  const { colors } = output;
  const factory = subject.factory === null ? '' : ` of ${subject.factory}`;
  const id = subject.id === subject.name ? '' : ` (${subject.id})`;
  output.line(colors.dim(escapeText(`${subject.kind} ${subject.name}${id}${factory}`)));
  output.line();
  output.line(colors.bold(escapeText(answer)));
  output.line();
  for (const [i, step] of steps.entries()) printStep(output, step, steps[i - 1]?.at ?? null);
  if (next.length === 0) return;
  output.line();
  for (const { purpose, command } of next) output.line(`${escapeText(purpose)}: ${escapeText(command)}`);
}

const MARKS = { ok: '✓', failed: '✗', warning: '!', now: '●', note: '·' } as const;

function paintMark({ outcome }: StoryStep, colors: Colors): string {
  const paints = { ok: colors.green, failed: colors.red, warning: colors.yellow, now: colors.cyan, note: colors.dim };
  return paints[outcome](MARKS[outcome]);
}

/** Length of a time in RFC 3339 with milliseconds. */
const TIME_LENGTH = 24;
const INDENT = ' '.repeat(TIME_LENGTH + 4);

/** @param before the time of the step before, which is not repeated */
function printStep(output: Output, step: StoryStep, before: string | null): void {
  const { colors } = output;
  const { at, text, facts, commit, changes, command } = step;
  const time = at === null ? (before === null ? '' : 'now') : at === before ? '' : at;
  output.line(`${colors.dim(time.padEnd(TIME_LENGTH))}  ${paintMark(step, colors)} ${escapeText(text)}`);
  if (facts.length > 0) {
    output.line(`${INDENT}${colors.dim(escapeText(facts.map(({ name, value }) => `${name}: ${value}`).join(' · ')))}`);
  }
  if (commit !== null) {
    const who = describeCommit(commit.commit);
    const name = who === null ? '' : ` ${escapeText(who)}`;
    output.line(`${INDENT}${colors.dim(`Revision: ${shortenRevision(commit.revision)}${name}`)}`);
  }
  for (const change of changes) printDiff(output, diffValues(change), INDENT);
  if (command !== null) output.line(`${INDENT}${colors.dim(`More: ${escapeText(command)}`)}`);
}
