import { useCallback, useRef } from 'react';

/** New rows that are held back until the user asks for them. */
export interface HeldUpdates {
  waiting: number;
  show: () => void;
  /** Props for the element that must not move. */
  handlers: {
    ref: (element: HTMLElement | null) => void;
    onPointerEnter: () => void;
    onPointerLeave: () => void;
  };
}

/** Whether the pointer is on a list, which must not move then. */
export function usePointerHold(onLeave: () => void): { isInside: () => boolean; handlers: HeldUpdates['handlers'] } {
  const isPointerInside = useRef(false);
  // When an empty state replaces the rows, no pointerleave event is sent.
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) isPointerInside.current = false;
  }, []);
  return {
    isInside: () => isPointerInside.current,
    handlers: {
      ref,
      onPointerEnter: () => {
        isPointerInside.current = true;
      },
      onPointerLeave: () => {
        isPointerInside.current = false;
        onLeave();
      },
    },
  };
}
