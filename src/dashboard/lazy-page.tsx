import { useSuspenseQuery } from '@tanstack/react-query';
import { type ComponentType, useState } from 'react';
import { RequestFailed } from '../client/read-answer.ts';

/** A page whose module is loaded on demand. */
export interface LazyPage {
  path: string;
  /** `null` until the module is loaded. */
  loaded: ComponentType | null;
  /** Throws `RequestFailed` with the code `page_not_loaded`. A later call retries. */
  load: () => Promise<ComponentType>;
}

export const PAGE_NOT_LOADED = 'page_not_loaded';

/** @param importPage imports the module and returns the page component */
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

/** Renders a loaded page directly, because a suspense fallback is shown for at least 300 ms. */
export function ShownPage({ page }: { page: LazyPage }) {
  // The choice must not change while the page is mounted, or React would remount the page.
  const [Loaded] = useState(() => page.loaded);
  return Loaded === null ? <LoadedLater page={page} /> : <Loaded />;
}

/** Uses a query instead of `React.lazy`, which keeps a failed import forever. */
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
