import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { escapeText } from '../../../../words/escape-text.ts';
import { changeUser, deleteUser, userSessionsQuery } from '../../../api/users.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { useSessionUser } from '../../../shell/context/session-user.ts';
import { describeEndOfSessions } from './describe-sessions.ts';
import { useUserChange } from './use-user-change.ts';
import type { UserDialogProps } from './user-dialog-props.ts';

const TOKENS_STAY = 'API tokens stay valid, whoever made them: revoke what should not.';

/** Shuts a user out for as long as wanted. */
export function DisableUser({ user: { id, name, role }, onClose }: UserDialogProps) {
  const isSelf = useSessionUser().id === id;
  const { data: sessions } = useQuery(userSessionsQuery(id));
  const shown = escapeText(name);
  const { mutate, isPending, error } = useUserChange(
    id,
    () => changeUser(id, { disabled: true }),
    () => {
      notifications.show({ message: `${shown} is disabled.` });
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
        `${shown} cannot sign in until an owner enables the account, which keeps the role ${role}.`,
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
  'This is your own account: you are signed out at once, and only another owner can let you in again.';

export function EnableUser({ user: { id, name, role, kind }, onClose }: UserDialogProps) {
  const shown = escapeText(name);
  const { mutate, isPending, error } = useUserChange(
    id,
    () => changeUser(id, { disabled: false }),
    () => {
      notifications.show({ message: `${shown} may sign in again.` });
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
          ? `${shown} may sign in again, with the password of before.`
          : `${shown} may sign in again at the OpenID provider.`,
        `The role is ${role}, as before.`,
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
      notifications.show({ message: `${shown} is deleted.` });
      onClose();
    },
  );
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Delete ${shown}`}
      effects={[
        ...(isSelf ? ['This is your own account: you are signed out at once.'] : []),
        describeEndOfSessions(shown, sessions?.length),
        kind === 'local'
          ? 'Account, role and password are gone and cannot be brought back. The name is free again.'
          : `Who signs in at the OpenID provider gets an account anew. To keep ${shown} out, disable the account instead.`,
        `The audit log still says what ${shown} did.`,
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
