/** The objects of an object store, by key. All operations throw `storage_unavailable`. */
export interface LogObjects {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** `null` if the object does not exist. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes all objects whose keys begin with this text. */
  removeAll(prefix: string): Promise<void>;
}

/** The beginning of the keys of a run. */
export function folderOfRun(run: string): string {
  return `${run}/`;
}

/** The bytes of an object never change: a part with the same position and size has the same bytes. */
export function keyOfPart(run: string, { offset, size }: { offset: number; size: number }): string {
  return `${folderOfRun(run)}${offset}-${size}`;
}
