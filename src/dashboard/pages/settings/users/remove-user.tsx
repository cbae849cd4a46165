import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { changeUser, deleteUser, userSessionsQuery } from '../../../api/users.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { useSessionUser } from '../../../shell/context/session-user.ts';
import { describeEndOfSessions } from './describe-sessions.ts';
import { useUserChange } from './use-user-change.ts';
import type { UserDialogProps } from './user-dialog-props.ts';

const TOKENS_STAY = 'API tokens stay valid, including those that this user created. Revoke them separately.';

/** Blocks sign-in until the user is enabled again. */
export function DisableUser({ user: { id, name, role }, onClose }: UserDialogProps) {
  const isSelf = useSessionUser().id === id;
  const { data: sessions } = useQuery(userSessionsQuery(id));
  const shown = escapeText(name);
  const { mutate, isPending, error } = useUserChange(
    id,
    () => changeUser(id, { disabled: true }),
    () => {
      notifications.show({ message: `${shown} was disabled.` });
      onClose();
    },
  );
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Disable ${shown}`}
      effects={[
        ...(isSelf ? [OWN_ACCOUNT] : []),
        describeEndOfSessions(shown, sessions?.length),
        `${shown} cannot sign in until an owner enables the account. The role stays ${role}.`,
        TOKENS_STAY,
      ]}
      action="Disable user"
      isDangerous
      typeToConfirm={isSelf ? shown : undefined}
      onConfirm={() => mutate(undefined)}
      isPending={isPending}
      error={error}
    />
  );
}

const OWN_ACCOUNT =
  'This is your own account. You are signed out immediately, and only another owner can enable it again.';

export function EnableUser({ user: { id, name, role, kind }, onClose }: UserDialogProps) {
  const shown = escapeText(name);
  const { mutate, isPending, error } = useUserChange(
    id,
    () => changeUser(id, { disabled: false }),
    () => {
      notifications.show({ message: `${shown} can sign in again.` });
      onClose();
    },
  );
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Enable ${shown}`}
      effects={[
        kind === 'local'
          ? `${shown} can sign in again with the same password.`
          : `${shown} can sign in again with the OpenID provider.`,
        `The role stays ${role}.`,
      ]}
      action="Enable user"
      onConfirm={() => mutate(undefined)}
      isPending={isPending}
      error={error}
    />
  );
}

export function DeleteUser({ user: { id, name, kind }, onClose }: UserDialogProps) {
  const isSelf = useSessionUser().id === id;
  const { data: sessions } = useQuery(userSessionsQuery(id));
  const shown = escapeText(name);
  const { mutate, isPending, error } = useUserChange(
    id,
    () => deleteUser(id),
    () => {
      notifications.show({ message: `${shown} was deleted.` });
      onClose();
    },
  );
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Delete ${shown}`}
      effects={[
        ...(isSelf ? ['This is your own account. You are signed out immediately.'] : []),
        describeEndOfSessions(shown, sessions?.length),
        kind === 'local'
          ? 'The account, its role and its password are deleted and cannot be restored. The name can be used again.'
          : `If ${shown} signs in with the OpenID provider again, a new account is created. To block access, disable the account instead.`,
        `The audit log keeps the actions of ${shown}.`,
        TOKENS_STAY,
      ]}
      action="Delete user"
      isDangerous
      typeToConfirm={shown}
      onConfirm={() => mutate(undefined)}
      isPending={isPending}
      error={error}
    />
  );
}
