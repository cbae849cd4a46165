import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { withParameter } from './use-cursor-pages.ts';

/** The loaded rows of a list that grows when the user asks for older rows. */
export interface ShownPages<Row> {
  /** `undefined` until the first page is loaded. */
  rows: Row[] | undefined;
  hasOlder: boolean;
  isLoading: boolean;
  showOlder: () => void;
}

const PARAMETER = 'page';

/** Keeps the number of shown pages in the URL, so that it survives a reload and the back button. */
export function useShownPages<Row>(query: UseInfiniteQueryResult<InfiniteData<{ data: Row[] }>>): ShownPages<Row> {
  const [search, setSearch] = useSearchParams();
  const { data, hasNextPage, isFetching, isFetchingNextPage, isError, fetchNextPage } = query;
  const wanted = readCount(search);
  const loaded = data?.pages.length ?? 0;
  const isMissing = loaded > 0 && loaded < wanted && hasNextPage && !isError;
  useEffect(() => {
    if (isMissing && !isFetching) void fetchNextPage();
  }, [isMissing, isFetching, fetchNextPage]);
  return {
    rows: data?.pages.slice(0, wanted).flatMap((page) => page.data),
    hasOlder: loaded > wanted || hasNextPage,
    isLoading: isMissing || isFetchingNextPage,
    showOlder: () =>
      setSearch((before) => withParameter(before, { [PARAMETER]: String(Math.min(loaded, wanted) + 1) }), {
        replace: true,
      }),
  };
}

function readCount(search: URLSearchParams): number {
  const count = Number(search.get(PARAMETER));
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
