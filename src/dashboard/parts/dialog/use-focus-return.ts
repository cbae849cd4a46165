import { useLayoutEffect } from 'react';

/**
 * Gives the focus back, when a dialog is closed, to what opened it. The library does so only for dialogs that are there
 * before they are opened.
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
