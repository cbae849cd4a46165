/** Which program this is: what a report of a problem names. */
export interface BuildIdentity {
  /** The version of the package. One that is not released ends with `-dev`. */
  version: string;
  /** The commit that was built, with `-dirty` if the sources differ from it; `null` if the build did not know it. */
  commit: string | null;
  /** When the program was built, in ISO 8601. For a release, the time of the commit, so that a second build makes the same bytes. */
  builtAt: string | null;
  node: string;
  sqlite: string | null;
}
