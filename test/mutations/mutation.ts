/** A defect that was fixed once, and that one edit of the source brings back. A test fails then. */
export interface Mutation {
  /** In kebab-case. `npm run test:mutations -- NAME ...` runs only the named ones. */
  name: string;
  /** What users saw. */
  defect: string;
  file: string;
  /** Occurs exactly once in the file. */
  text: string;
  replacement: string;
  /** The test file that fails. */
  test: string;
}
