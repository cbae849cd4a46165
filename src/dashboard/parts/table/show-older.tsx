import { Button } from '@mantine/core';
import type { ShownPages } from './use-shown-pages.ts';

/** Below a history that grows downwards as it is read. Not there once all of it is shown. */
export function ShowOlder({ pages: { hasOlder, isLoading, showOlder } }: { pages: ShownPages<unknown> }) {
  if (!hasOlder) return null;
  return (
    <Button variant="default" loading={isLoading} onClick={showOlder} style={{ alignSelf: 'center' }}>
      Show older
    </Button>
  );
}
