import type { Story, StoryStep } from '../../operations/story/story.ts';
import { presentCommit } from '../reconciliations/present-commit.ts';
import { presentInstant } from '../server/instants.ts';

/** A story as the API shows it. */
export function presentStory({ subject, answer, steps, next }: Story) {
  return { subject, answer, steps: steps.map(presentStep), next };
}

function presentStep({ at, outcome, text, facts, by, commit, changes, links, command, expandable }: StoryStep) {
  return {
    at: presentInstant(at),
    outcome,
    text,
    facts,
    by,
    commit: commit && { revision: commit.revision, commit: presentCommit(commit.commit) },
    changes,
    links,
    command,
    expandable,
  };
}
