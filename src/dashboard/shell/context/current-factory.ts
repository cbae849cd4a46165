import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { factoriesQuery } from '../../api/queries.ts';

const STORAGE_KEY = 'dockbell.factory';
/** Query parameter for pages that belong to no factory: the factory that the user came from. */
const PARAMETER = 'factory';

/**
 * The factory in the URL, or else the last used one. `null` if there is none, or if the user has no access to the factory in
 * the URL.
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

/** The factory of a page below `/factories/:factory`. */
export function useFactory(): Factory {
  const factory = useCurrentFactory();
  if (factory === null) throw new Error('this page belongs to no factory');
  return factory;
}

/** Stores the current factory for pages that belong to none. */
export function useRememberedFactory(): void {
  const name = useCurrentFactory()?.name;
  useEffect(() => {
    if (name !== undefined) localStorage.setItem(STORAGE_KEY, name);
  }, [name]);
}

/** Adds the factory to the path of a page that belongs to none, so that links lead back to it. */
export function addFactory(path: string, factory: Factory | null): string {
  return factory === null ? path : `${path}?${new URLSearchParams({ [PARAMETER]: factory.name })}`;
}

/** The query parameter with the factory, to keep it when other parameters change. */
export function keepFactory(search: URLSearchParams): Record<string, string> {
  const name = search.get(PARAMETER);
  return name === null ? {} : { [PARAMETER]: name };
}

/** The name of the factory in the URL; `null` for pages that belong to none. */
export function useNamedFactory(): string | null {
  const [location] = useLocation();
  return readFactoryName(location);
}

function readFactoryName(location: string): string | null {
  const encoded = /^\/factories\/([^/]+)/.exec(location)?.[1];
  return encoded === undefined ? null : decodeURIComponent(encoded);
}
