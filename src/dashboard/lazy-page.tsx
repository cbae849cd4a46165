import { useSuspenseQuery } from '@tanstack/react-query';
import { type ComponentType, useState } from 'react';
import { RequestFailed } from './api/problem.ts';

/** A page whose file is loaded when it is needed, or before. */
export interface LazyPage {
  path: string;
  /** `null` until the file is there. */
  loaded: ComponentType | null;
  /** Throws `RequestFailed` with the code `page_not_loaded`. A later call tries again. */
  load: () => Promise<ComponentType>;
}

export const PAGE_NOT_LOADED = 'page_not_loaded';

/** @param importPage imports the page's file and picks the page out of it */
export function createLazyPage(path: string, importPage: () => Promise<ComponentType>): LazyPage {
  const page: LazyPage = {
    path,
    loaded: null,
    load: async () => {
      page.loaded ??= await importPage().catch((cause: unknown) => {
        throw new RequestFailed(describeFailure(cause));
      });
      return page.loaded;
    },
  };
  return page;
}

function describeFailure(cause: unknown) {
  const why = cause instanceof Error ? cause.message : String(cause);
  return {
    type: 'urn:dockbell:problem:page-not-loaded',
    title: 'The page could not be loaded',
    detail: `The daemon is stopped, or it was upgraded since this tab was opened (${why}).`,
    status: 0,
    code: PAGE_NOT_LOADED,
  };
}

/** Suspending shows a placeholder for 300 ms at least, also for a file that is there already. */
export function ShownPage({ page }: { page: LazyPage }) {
  // One of the two for as long as the page is shown: to change over would begin it anew.
  const [Loaded] = useState(() => page.loaded);
  return Loaded === null ? <LoadedLater page={page} /> : <Loaded />;
}

/** Unlike `React.lazy`, a query forgets that it failed: the file is asked for again. */
function LoadedLater({ page }: { page: LazyPage }) {
  const { data } = useSuspenseQuery({
    queryKey: ['page', page.path],
    queryFn: async () => ({ Page: await page.load() }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return <data.Page />;
}
