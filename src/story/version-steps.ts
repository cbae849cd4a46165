import { createStep, type StoryStep } from './story.ts';
import type { StoryRequest } from './story-parts.ts';

/** Versions of a secret that a story shows. */
const MAX_VERSIONS = 5;

/**
 * Who stored which version of a secret, and when.
 *
 * @param checked the version that a webhook checks; `null` for all versions
 */
export async function listVersionSteps(
  { versions }: StoryRequest,
  secretName: string,
  checked: number | null,
): Promise<StoryStep[]> {
  const found = await versions.versions(secretName, MAX_VERSIONS);
  return found.flatMap(({ version, createdAt, createdBy, replacedAt, replacedBy }) => {
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
}
