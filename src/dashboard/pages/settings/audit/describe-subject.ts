import type { AuditEntry } from '../../../api/types.ts';
import type { NamesById } from './audit-names.ts';

type Entry = Pick<AuditEntry, 'route' | 'object' | 'changes'>;

/**
 * What it was done to: the parameters of the route and what it made, by name where there is one. `null` if the
 * action says it all.
 */
export function describeSubject({ route, object, changes }: Entry, names: NamesById): string | null {
  if (object === 'session') return typeof changes?.user === 'string' ? changes.user : null;
  const open = route.split('/').slice(3);
  const things = object.split('/').filter((_, index) => open[index] === undefined || open[index]!.startsWith(':'));
  const shown = things.map((thing) => decodeURIComponent(thing)).map((thing) => names.get(thing) ?? thing);
  // Who or what is gone has its name where it was made.
  const isMade = things.length > open.filter((segment) => segment.startsWith(':')).length;
  if (isMade && typeof changes?.name === 'string') shown[shown.length - 1] = changes.name;
  return shown.length === 0 ? null : shown.join(' / ');
}
