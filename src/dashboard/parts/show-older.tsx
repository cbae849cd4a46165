import { Button } from '@mantine/core';

/** What an infinite query has for it. */
interface OlderPages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/** Below a history that grows downwards as it is read. Not there once all of it is shown. */
export function ShowOlder({ pages: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { pages: OlderPages }) {
  if (!hasNextPage) return null;
  return (
    <Button
      variant="default"
      loading={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
      style={{ alignSelf: 'center' }}
    >
      Show older
    </Button>
  );
}
