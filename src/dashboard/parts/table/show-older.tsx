import { Button } from '@mantine/core';
import type { ShownPages } from './use-shown-pages.ts';

/** Loads the next page below a list. Hidden when all rows are shown. */
export function ShowOlder({ pages: { hasOlder, isLoading, showOlder } }: { pages: ShownPages<unknown> }) {
  if (!hasOlder) return null;
  return (
    <Button variant="default" loading={isLoading} onClick={showOlder} style={{ alignSelf: 'center' }}>
      Show older
    </Button>
  );
}
