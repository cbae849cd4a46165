import type { AuditEntry } from '../../../../client/api-types.ts';

/** Names of users and API tokens by their IDs, without deleted ones. */
export type NamesById = ReadonlyMap<string, string>;

type Entry = Pick<AuditEntry, 'route' | 'object' | 'changes'>;

/**
 * The object of the action: the parameters of the route and the created object, by name if there is one. `null` if the
 * action already names everything.
 */
export function describeSubject({ route, object, changes }: Entry, names: NamesById): string | null {
  if (object === 'session') return typeof changes?.user === 'string' ? changes.user : null;
  const open = route.split('/').slice(3);
  const segments = object.split('/').filter((_, index) => open[index] === undefined || open[index]!.startsWith(':'));
  const shown = segments.map((segment) => decodeURIComponent(segment)).map((segment) => names.get(segment) ?? segment);
  // Deleted objects are named in the entry that created them.
  const isCreated = segments.length > open.filter((segment) => segment.startsWith(':')).length;
  if (isCreated && typeof changes?.name === 'string') shown[shown.length - 1] = changes.name;
  return shown.length === 0 ? null : shown.join(' / ');
}
