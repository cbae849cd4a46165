import { EVERY_ELEMENT, type PathStep, parsePath } from '../../definitions/filter/payload-path.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { CliError } from '../exit-codes.ts';

/**
 * Replaces the values at these paths with empty ones of the same type, in place. An invalid path, or one without a value,
 * is a `CliError`: otherwise a typo would publish the value.
 */
export function redactBody(body: Json, paths: readonly string[]): void {
  for (const text of paths) {
    const path = parsePath(text);
    if (path === null) {
      throw new CliError(`'${escapeText(text)}' is not a path to a value of the body.`, {
        hint: 'Use a path such as data.issue.level, items[0].name, items[*].name or data["key with spaces"].',
      });
    }
    if (redactAt(body, path)) continue;
    throw new CliError(`The body has no value at ${escapeText(text)}, so nothing was printed.`, {
      hint: 'Print the body with --payload, then correct or omit the path.',
    });
  }
}

function redactAt(body: Json, path: readonly PathStep[]): boolean {
  let places: Place[] = [];
  let values: Json[] = [body];
  for (const step of path) {
    places = values.flatMap((value) => findChildren(value, step));
    values = places.map(read);
  }
  for (const place of places) write(place, emptyOf(read(place)));
  return places.length > 0;
}

/** A child of an array or object. */
type Place = { in: Json[]; at: number } | { in: { [key: string]: Json }; at: string };

function findChildren(value: Json, step: PathStep): Place[] {
  if (Array.isArray(value)) {
    if (step === EVERY_ELEMENT) return value.map((_, at) => ({ in: value, at }));
    return typeof step === 'number' && step < value.length ? [{ in: value, at: step }] : [];
  }
  // Own keys only: in a parsed body `__proto__` is an ordinary key.
  if (!isJsonObject(value) || typeof step !== 'string' || !Object.hasOwn(value, step)) return [];
  return [{ in: value, at: step }];
}

function read(place: Place): Json {
  return (place.in as { [key: string | number]: Json })[place.at]!;
}

function write(place: Place, value: Json): void {
  (place.in as { [key: string | number]: Json })[place.at] = value;
}

function emptyOf(value: Json): Json {
  if (Array.isArray(value)) return [];
  if (isJsonObject(value)) return {};
  if (typeof value === 'string') return 'REDACTED';
  return typeof value === 'number' ? 0 : typeof value === 'boolean' ? false : null;
}
