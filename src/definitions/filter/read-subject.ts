import { composeKey } from '../../domain/runs/run-key.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import { readContextNumber, readContextText } from './values/context-values.ts';
import { compileFind } from './values/find-value.ts';
import { listPaths } from './values/read-source.ts';

/** Reads what deliveries of a provider are about, for the loop guard. */
export interface SubjectReader {
  /** The keys that are read, from the root of the payload. */
  paths: readonly (readonly string[])[];
  /** Equal for deliveries about the same issue, pull request or thread; `null` if the delivery is about none. */
  read(payload: unknown): string | null;
}

/** @param provider a name in `TRIGGER_PROVIDERS`; `null` for none */
export function compileSubject(provider: string | null): SubjectReader | null {
  const places = provider === null ? undefined : TRIGGER_PROVIDERS.get(provider)?.context;
  if (places === undefined) return null;
  const findRepository = compileFind(places.repository);
  const numbers = places.number.map((place) => ({ kind: place.kind, find: compileFind([place]) }));
  return {
    paths: [...places.repository, ...places.number].flatMap(listPaths),
    read: (payload) => {
      for (const { kind, find } of numbers) {
        const number = find(payload, readContextNumber);
        if (number === null) continue;
        const repository = findRepository(payload, readContextText);
        return composeKey([provider, repository, ...(kind === undefined ? [] : [kind]), number]);
      }
      return null;
    },
  };
}
