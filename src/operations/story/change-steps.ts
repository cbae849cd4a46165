import type { DefinedObject, ObjectChange } from '../../domain/ports/definitions.ts';
import { createSummary, cutList, limitRead } from './cut-list.ts';
import { createStep, type ObjectRef, type StoryStep } from './story.ts';
import type { StoryRequest } from './story-parts.ts';

/** Changes of one object that a story shows. */
const MAX_CHANGES = 5;

const VERBS = { create: 'created', update: 'changed', delete: 'deleted' } as const;

/** The most recent changes of a webhook or an automation, newest first, and whether there are more. */
export async function readChanges(
  request: StoryRequest,
  object: DefinedObject,
): Promise<{ changes: ObjectChange[]; more: boolean }> {
  const found = await request.history.changes({ ...object, limit: limitRead(request, MAX_CHANGES) });
  const { shown, omitted } = cutList(request, found, MAX_CHANGES);
  return { changes: shown, more: omitted > 0 };
}

/** A step for each change, and one for earlier ones. */
export function listChangeSteps(
  request: StoryRequest,
  subject: ObjectRef,
  { changes, more }: { changes: readonly ObjectChange[]; more: boolean },
): StoryStep[] {
  const steps = changes.map((change) => describeChange(subject, change));
  if (!more) return steps;
  const oldest = changes.at(-1)!;
  return [...steps, createSummary(request, subject, { at: oldest.at - 1, text: 'It was changed before.' })];
}

function describeChange({ factory, name }: ObjectRef, change: ObjectChange): StoryStep {
  const { verb, at, revision, commit, changes, reconciliation } = change;
  const keys = changes.map(({ key }) => key).join(', ');
  return createStep({
    at,
    outcome: verb === 'delete' ? 'warning' : 'note',
    text: `${name} was ${VERBS[verb]}${verb === 'update' && keys !== '' ? `: ${keys}` : ''}.`,
    by: commit?.author ?? null,
    commit: revision === null ? null : { revision, commit },
    changes: verb === 'update' ? changes : [],
    links: [{ kind: 'reconciliation', factory, id: reconciliation, name: reconciliation }],
  });
}

/** Who made a change and why, for the end of a sentence: ` in commit 4f2a91c5 by Alice ("Fix the filter")`. */
export function sayCommit({ revision, commit }: Pick<ObjectChange, 'revision' | 'commit'>): string {
  if (revision === null) return '';
  const who = commit === null ? '' : ` by ${commit.author} ("${commit.subject}")`;
  return ` in ${nameRevision(revision)}${who}`;
}

/** A git commit, shortened as git does; `revision 12` for a factory without commits. */
function nameRevision(revision: string): string {
  return isCommit(revision) ? `commit ${shortenRevision(revision)}` : `revision ${revision}`;
}

/** As `nameRevision`, for the beginning of a sentence. */
export function nameRevisionFirst(revision: string): string {
  const name = nameRevision(revision);
  return name[0]!.toUpperCase() + name.slice(1);
}

/** The first 8 characters of a git commit; any other revision as it is. */
export function shortenRevision(revision: string): string {
  return isCommit(revision) ? revision.slice(0, 8) : revision;
}

function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(revision);
}
