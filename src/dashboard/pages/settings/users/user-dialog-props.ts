import type { User } from '../../../api/types.ts';

/** What every dialog about a user gets. */
export interface UserDialogProps {
  user: User;
  onClose: () => void;
}
