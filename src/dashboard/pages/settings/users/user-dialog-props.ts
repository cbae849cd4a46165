import type { User } from '../../../../client/api-types.ts';

/** Props of every dialog about one user. */
export interface UserDialogProps {
  user: User;
  onClose: () => void;
}
