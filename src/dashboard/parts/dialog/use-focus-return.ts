import { useLayoutEffect } from 'react';

/**
 * Returns the focus to the opener when a dialog closes. Mantine does so only for dialogs that are mounted before they
 * open.
 */
export function useFocusReturn(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, [isOpen]);
}
