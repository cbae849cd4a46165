import { Button, Group } from '@mantine/core';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { CursorPages } from './use-cursor-pages.ts';

interface CursorPagerProps {
  pages: CursorPages;
  /** `undefined` until the answer is there, `null` on the last page. */
  nextCursor: string | null | undefined;
  /** The rows and `nextCursor` are still those of the previous page. */
  isStale: boolean;
}

/** Buttons for newer and older rows. Hidden while all rows fit on one page. */
export function CursorPager({ pages, nextCursor, isStale }: CursorPagerProps) {
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
        // Not disabled, so that the button keeps the focus.
        aria-disabled={isStale || undefined}
        onClick={() => nextCursor != null && !isStale && goOlder(nextCursor)}
      >
        Older
      </Button>
    </Group>
  );
}
