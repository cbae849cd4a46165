import type { FactorySource } from '../services.ts';

/** The file that declares something; `null` where its factory lives in the database, which has none. */
export function presentFile(
  { factory, file }: { factory: string; file: string },
  { factorySource }: { factorySource(factory: string): Pick<FactorySource, 'type'> | null },
): string | null {
  return factorySource(factory)?.type === 'live' ? null : file;
}
