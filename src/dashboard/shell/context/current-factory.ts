import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { factoriesQuery } from '../../api/queries.ts';
import type { Factory } from '../../api/types.ts';

const STORAGE_KEY = 'dockbell.factory';
/** Of the addresses of pages that belong to no factory: which one the reader came from. */
const PARAMETER = 'factory';

/**
 * The factory that the address names, or else the one that was looked at last. `null` where there is none, or none of
 * that name within the reader's reach.
 */
export function useCurrentFactory(): Factory | null {
  const { data: factories } = useSuspenseQuery(factoriesQuery);
  const [location] = useLocation();
  const [search] = useSearchParams();
  const find = (wanted: string | null) => factories.find(({ name }) => name === wanted) ?? null;
  const named = readFactoryName(location);
  if (named !== null) return find(named);
  return find(search.get(PARAMETER)) ?? find(localStorage.getItem(STORAGE_KEY)) ?? factories[0] ?? null;
}

/** The factory of a page whose address names one. */
export function useFactory(): Factory {
  const factory = useCurrentFactory();
  if (factory === null) throw new Error('this page stands outside of a factory');
  return factory;
}

/** Remembers the factory that is looked at, for addresses that name none. */
export function useRememberedFactory(): void {
  const name = useCurrentFactory()?.name;
  useEffect(() => {
    if (name !== undefined) localStorage.setItem(STORAGE_KEY, name);
  }, [name]);
}

/** The address of a page that belongs to no factory, from which the way leads back to this one. */
export function addFactory(path: string, factory: Factory | null): string {
  return factory === null ? path : `${path}?${new URLSearchParams({ [PARAMETER]: factory.name })}`;
}

/** The part of an address that says which factory the reader came from, to be kept when the rest of it changes. */
export function keepFactory(search: URLSearchParams): Record<string, string> {
  const name = search.get(PARAMETER);
  return name === null ? {} : { [PARAMETER]: name };
}

/** The name of the factory whose page the address is of; `null` for pages that belong to none. */
export function useNamedFactory(): string | null {
  const [location] = useLocation();
  return readFactoryName(location);
}

function readFactoryName(location: string): string | null {
  const encoded = /^\/factories\/([^/]+)/.exec(location)?.[1];
  return encoded === undefined ? null : decodeURIComponent(encoded);
}
