import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFocusReturn } from './use-focus-return.ts';

interface DialogProps {
  title: string;
  size?: 'md' | 'lg' | 'xl';
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that is open for as long as it is there: what was typed into it goes with it. */
export function Dialog({ title, size = 'md', onClose, children }: DialogProps) {
  useFocusReturn(true);
  return (
    <Modal opened onClose={onClose} title={title} centered size={size}>
      {children}
    </Modal>
  );
}
