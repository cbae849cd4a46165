/** Where a factory's definition comes from, as the configuration says. */
export interface FactorySource {
  type: 'repository' | 'managed' | 'live';
  /** Credentials in it are removed before it is shown. `null` if no outside repository holds the definition. */
  url: string | null;
  branch: string | null;
  /** Folder of the factory inside the repository. */
  path: string | null;
  /** Are its pull requests checked? */
  pullRequests: boolean;
}

/** The source of a factory; `null` for a factory that the configuration no longer names. */
export type FindSource = (factory: string) => FactorySource | null;

/** The file that declares something; `null` if its factory is `live`: its definition is in the database. */
export function presentFile(
  { factory, file }: { factory: string; file: string },
  findSource: (factory: string) => Pick<FactorySource, 'type'> | null,
): string | null {
  return findSource(factory)?.type === 'live' ? null : file;
}
