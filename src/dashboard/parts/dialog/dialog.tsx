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

/** A dialog that is open for as long as it is there: what was typed into it goes with it. */
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
 * For what is shown only once. While it is there, the dialog around it is closed by its own button alone, and leaving the
 * page asks first.
 */
export function useOnlyOccasion(): void {
  const lock = useContext(LockContext);
  useLeaveGuard(true, 'one-time value');
  useLayoutEffect(() => {
    lock(true);
    return () => lock(false);
  }, [lock]);
}
