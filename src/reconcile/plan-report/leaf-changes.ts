import type { Json } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';

/** One changed value inside a key of a definition. `undefined` if the value does not exist on that side. */
export interface LeafChange {
  path: string;
  from: Json | undefined;
  to: Json | undefined;
}

/** The values that differ, so that one change in a long list of triggers is shown alone. */
export function listLeafChanges(path: string, from: Json | undefined, to: Json | undefined): LeafChange[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && (from.some(isNested) || to.some(isNested))) {
    const indexes = Array.from({ length: Math.max(from.length, to.length) }, (_, index) => index);
    return indexes.flatMap((index) => listLeafChanges(`${path}[${index}]`, from[index], to[index]));
  }
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.flatMap((key) => listLeafChanges(`${path}.${key}`, read(from, key), read(to, key)));
  }
  return [{ path, from, to }];
}

/** The changed webhooks of triggers. Their key in a plan is no key of a file. */
export function listListenerChanges(from: Json, to: Json): LeafChange[] {
  const [old, planned] = [from, to].map((lists) => (Array.isArray(lists) ? lists : [])) as [Json[], Json[]];
  return Array.from({ length: Math.max(old.length, planned.length) }, (_, index) => ({
    path: `webhooks of trigger ${index + 1}`,
    from: joinNames(old[index]),
    to: joinNames(planned[index]),
  })).filter((change) => change.from !== change.to);
}

function joinNames(names: Json | undefined): string | undefined {
  return Array.isArray(names) && names.length > 0 ? names.join(', ') : undefined;
}

function isNested(value: Json): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

function read(object: { [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

const MAX_CHARACTERS = 80;

/** The two sides of a change as short texts. For texts with several lines, the first line that differs. */
export function describeSides({ from, to }: LeafChange): { from: string; to: string; place: string } {
  const isText = typeof from === 'string' && typeof to === 'string' && (from + to).includes('\n');
  if (!isText) return { from: describeValue(from), to: describeValue(to), place: '' };
  const [old, planned] = [from.split('\n'), to.split('\n')];
  const line = old.findIndex((text, index) => text !== planned[index]);
  const at = line === -1 ? old.length : line;
  return { from: describeValue(old[at]), to: describeValue(planned[at]), place: ` line ${at + 1}` };
}

/** A value as JSON, truncated if it is long. `none` for no value. */
function describeValue(value: Json | undefined): string {
  if (value === undefined || value === null) return 'none';
  const text = JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
