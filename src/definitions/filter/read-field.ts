/** The object's own field; `undefined`, which JSON cannot hold, where it is absent. Prototypes are never looked at. */
export function readField(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as { [key: string]: unknown })[key] : undefined;
}
