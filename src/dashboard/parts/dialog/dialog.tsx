import { Modal } from '@mantine/core';
import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react';
import { useLeaveGuard } from '../../shell/context/leave-guard.tsx';
import { useFocusReturn } from './use-focus-return.ts';

interface DialogProps {
  title: string;
  size?: 'md' | 'lg' | 'xl';
  onClose: () => void;
  children: ReactNode;
}

const LockContext = createContext<(isLocked: boolean) => void>(() => undefined);

/** A dialog that is open while it is mounted. Its input is discarded when it closes. */
export function Dialog({ title, size = 'md', onClose, children }: DialogProps) {
  useFocusReturn(true);
  const [isLocked, setIsLocked] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      size={size}
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked}
      withCloseButton={!isLocked}
    >
      <LockContext value={setIsLocked}>{children}</LockContext>
    </Modal>
  );
}

/**
 * Protects a value that is shown only once: the surrounding dialog closes only with its own button, and leaving the page
 * asks first.
 */
export function useOneTimeGuard(): void {
  const lock = useContext(LockContext);
  useLeaveGuard(true, 'one-time value');
  useLayoutEffect(() => {
    lock(true);
    return () => lock(false);
  }, [lock]);
}
