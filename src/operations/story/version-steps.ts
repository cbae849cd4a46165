import { createSummary, cutList, limitRead } from './cut-list.ts';
import { createStep, type ObjectRef, type StoryStep } from './story.ts';
import type { StoryRequest } from './story-parts.ts';

/** Versions of a secret that a story shows. */
const MAX_VERSIONS = 5;

/**
 * Who stored which version of a secret, and when.
 *
 * @param subject of the story
 * @param checked the version that a webhook checks; `null` for all versions
 */
export async function listVersionSteps(
  request: StoryRequest,
  subject: ObjectRef,
  secretName: string,
  checked: number | null,
): Promise<StoryStep[]> {
  const found = await request.versions.versions(secretName, limitRead(request, MAX_VERSIONS));
  const { shown, omitted } = cutList(request, found, MAX_VERSIONS);
  const steps = shown.flatMap(({ version, createdAt, createdBy, replacedAt, replacedBy }) => {
    const stored = `Version ${version} of ${secretName} was stored${createdBy === null ? '' : ` by ${createdBy}`}.`;
    const isDeleted = replacedAt !== null && version === found[0]!.version;
    const isNewer = checked !== null && version > checked;
    return [
      createStep({ at: createdAt, by: createdBy, outcome: isNewer ? 'warning' : 'note', text: stored }),
      ...(isDeleted
        ? [
            createStep({
              at: replacedAt,
              by: replacedBy,
              outcome: 'warning',
              text: `${secretName} was deleted${replacedBy === null ? '' : ` by ${replacedBy}`}.`,
            }),
          ]
        : []),
    ];
  });
  if (omitted === 0) return steps;
  const at = shown.at(-1)!.createdAt - 1;
  return [...steps, createSummary(request, subject, { at, text: `Earlier versions of ${secretName} were stored.` })];
}
