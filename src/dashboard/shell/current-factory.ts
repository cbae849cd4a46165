import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { factoriesQuery } from '../api/queries.ts';
import type { Factory } from '../api/types.ts';

const STORAGE_KEY = 'dockbell.factory';

/**
 * The factory that the address names, or else the one that was looked at last. `null` where there is none, or none of
 * that name within the reader's reach.
 */
export function useCurrentFactory(): Factory | null {
  const { data: factories } = useSuspenseQuery(factoriesQuery);
  const [location] = useLocation();
  const named = readFactoryName(location);
  if (named !== null) return factories.find(({ name }) => name === named) ?? null;
  const last = localStorage.getItem(STORAGE_KEY);
  return factories.find(({ name }) => name === last) ?? factories[0] ?? null;
}

/** The factory of a page whose address names one. */
export function useFactory(): Factory {
  const factory = useCurrentFactory();
  if (factory === null) throw new Error('this page stands outside of a factory');
  return factory;
}

export function rememberFactory(name: string): void {
  localStorage.setItem(STORAGE_KEY, name);
}

function readFactoryName(location: string): string | null {
  const encoded = /^\/factories\/([^/]+)/.exec(location)?.[1];
  return encoded === undefined ? null : decodeURIComponent(encoded);
}
