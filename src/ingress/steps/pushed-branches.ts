import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';

/** The keys of a payload that `concernsBranch` reads. */
export const PUSHED_REFS: readonly (readonly string[])[] = [
  ['ref'],
  ...[['changes'], ['push', 'changes']].flatMap((changes) => [
    [...changes, 'refId'],
    ...['new', 'old'].flatMap((side) => [
      [...changes, side, 'name'],
      [...changes, side, 'type'],
    ]),
  ]),
];

/** A push with more changes is assumed to concern every branch. */
const MAX_CHANGES = 1000;

/**
 * Whether the push in this payload may have moved the branch. GitHub, GitLab, Gitea and Forgejo send one `ref`, Bitbucket
 * a list of changes. If the payload contains no ref (a ping, a custom pipeline), it may have.
 */
export function concernsBranch(payload: unknown, branch: string): boolean {
  const refs = isJsonObject(payload) ? listRefs(payload) : null;
  return refs === null || refs.some((ref) => ref === branch || ref === `refs/heads/${branch}`);
}

/** `null` if the payload contains none. */
function listRefs(payload: JsonObject): string[] | null {
  if (typeof payload.ref === 'string') return [payload.ref];
  const changes = isJsonObject(payload.push) ? payload.push.changes : payload.changes;
  if (!Array.isArray(changes) || changes.length > MAX_CHANGES) return null;
  const refs = changes.flatMap(namesOf);
  return refs.length === 0 ? null : refs;
}

/** Bitbucket Cloud sends `new`, or `old` for a deleted branch, with a name. Bitbucket Data Center sends `refId`. */
function namesOf(change: Json): string[] {
  if (!isJsonObject(change)) return [];
  if (typeof change.refId === 'string') return [change.refId];
  return [change.new, change.old].flatMap((side) => {
    if (!isJsonObject(side) || typeof side.name !== 'string') return [];
    return side.type === 'tag' ? [`refs/tags/${side.name}`] : [side.name];
  });
}
