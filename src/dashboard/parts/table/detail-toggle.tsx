import { ActionIcon } from '@mantine/core';
import { ChevronRight } from 'lucide-react';

interface DetailToggleProps {
  /** ID of the row. Its details have the HTML id `detail-<id>`. */
  id: string;
  label: string;
  isOpen: boolean;
  onToggle: () => void;
}

/** Opens and closes the details of a table row. */
export function DetailToggle({ id, label, isOpen, onToggle }: DetailToggleProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-expanded={isOpen}
      aria-controls={isOpen ? `detail-${id}` : undefined}
      aria-label={label}
      onClick={onToggle}
    >
      <ChevronRight size={16} style={isOpen ? { transform: 'rotate(90deg)' } : undefined} aria-hidden />
    </ActionIcon>
  );
}
