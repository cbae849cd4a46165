import { Button, Group } from '@mantine/core';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { LogPage } from '../live/log-page.ts';
import type { CursorPages } from './use-cursor-pages.ts';

interface CursorPagerProps {
  pages: CursorPages;
  /** The shown page; `undefined` until the answer is there. */
  page: LogPage<unknown> | undefined;
  /** The shown page is still the previous one. */
  isStale: boolean;
  /** Reads the shown page again. */
  reload: () => Promise<LogPage<unknown> | undefined>;
}

/** Buttons for newer and older rows. Hidden while all rows fit on one page. */
export function CursorPager({ pages, page, isStale, reload }: CursorPagerProps) {
  const { isNewest, knowsNewer, goNewer, goNewest, goOlder } = pages;
  const hasOlder = page !== undefined && (page.next_cursor !== null || page.isCut === true);
  if (isNewest && !hasOlder) return null;
  const showOlder = async () => {
    if (!hasOlder || isStale) return;
    const current = page.isCut === true ? await reload() : page;
    if (current != null && current.next_cursor !== null) goOlder(current.next_cursor);
  };
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
        disabled={!hasOlder}
        // Not disabled, so that the button keeps the focus.
        aria-disabled={isStale || undefined}
        onClick={() => void showOlder()}
      >
        Older
      </Button>
    </Group>
  );
}
