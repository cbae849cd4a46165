import { Button, Group, Stack, Text } from '@mantine/core';
import type { User } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { EditAccess } from './edit-access.tsx';
import { isLastOwner } from './last-owner.ts';
import { DeleteUser, DisableUser, EnableUser } from './remove-user.tsx';
import { ResetPassword } from './reset-password.tsx';
import type { UserDialogProps } from './user-dialog-props.ts';
import { UserSessions } from './user-sessions.tsx';

const DIALOGS = {
  access: EditAccess,
  password: ResetPassword,
  sessions: UserSessions,
  disable: DisableUser,
  enable: EnableUser,
  delete: DeleteUser,
};

export type UserDialogKind = keyof typeof DIALOGS;

/** Actions that are blocked for the last owner, because nobody could manage users afterwards. */
const LEAVES_NO_OWNER: readonly UserDialogKind[] = ['access', 'disable', 'delete'];

/** @param users all users, to find the last owner */
export function UserDialog({
  kind,
  users,
  ...props
}: UserDialogProps & { kind: UserDialogKind; users: readonly User[] }) {
  if (LEAVES_NO_OWNER.includes(kind) && isLastOwner(props.user, users)) return <LastOwner {...props} />;
  const Dialog = DIALOGS[kind];
  return <Dialog {...props} />;
}

function LastOwner({ user, onClose }: UserDialogProps) {
  const name = escapeText(user.name);
  return (
    <Dialog onClose={onClose} title={`${name} is the last owner`}>
      <Stack>
        <Text size="sm">
          {name} is the only user who can manage users, tokens and secrets. The account cannot be deleted, disabled or
          given a lower role. First make another user an owner of all factories.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
