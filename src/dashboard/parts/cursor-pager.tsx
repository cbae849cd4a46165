import { Button, Group } from '@mantine/core';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { CursorPages } from './use-cursor-pages.ts';

interface CursorPagerProps {
  pages: CursorPages;
  /** `undefined` while the page is on its way, `null` where there is nothing older. */
  nextCursor: string | null | undefined;
}

/** Below a log: to newer and to older rows. Not there while all rows fit on one page. */
export function CursorPager({ pages, nextCursor }: CursorPagerProps) {
  const { isNewest, knowsNewer, goNewer, goNewest, goOlder } = pages;
  if (isNewest && nextCursor == null) return null;
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" mt="md">
      <Group gap="xs">
        <Button variant="default" disabled={isNewest} onClick={goNewest}>
          Newest
        </Button>
        <Button variant="default" leftSection={<ArrowLeft size={16} />} disabled={!knowsNewer} onClick={goNewer}>
          Newer
        </Button>
      </Group>
      <Button
        variant="default"
        rightSection={<ArrowRight size={16} />}
        disabled={nextCursor == null}
        onClick={() => nextCursor != null && goOlder(nextCursor)}
      >
        Older
      </Button>
    </Group>
  );
}
