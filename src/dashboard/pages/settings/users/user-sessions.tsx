import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { endUserSessions, userSessionsQuery } from '../../../api/users.ts';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { SessionTable } from '../../../parts/sessions/session-table.tsx';
import { useSessionUser } from '../../../shell/context/session-user.ts';
import { useUserChange } from './use-user-change.ts';
import type { UserDialogProps } from './user-dialog-props.ts';

/** Lists the sessions of a user, and signs the user out, for example after losing a laptop. */
export function UserSessions({ user: { id, name }, onClose }: UserDialogProps) {
  const shown = escapeText(name);
  const isSelf = useSessionUser().id === id;
  const { data: sessions, error } = useQuery(userSessionsQuery(id));
  const ending = useUserChange(
    id,
    () => endUserSessions(id),
    () => {
      notifications.show({ message: `${shown} was signed out everywhere.` });
      onClose();
    },
  );
  const isSignedIn = sessions !== undefined && sessions.length > 0;
  return (
    <Dialog onClose={onClose} title={`Sessions of ${shown}`} size="xl">
      <Stack>
        {error !== null && <ErrorPanel error={error} />}
        {error === null && (
          <SessionTable
            label={`Sessions of ${shown}`}
            sessions={sessions}
            empty={<Text size="sm">{shown} is not signed in anywhere.</Text>}
          />
        )}
        {isSignedIn && (
          <Text size="sm" c="dimmed">
            Signing out takes effect immediately{isSelf ? ', also in this browser' : ''}. The password and role stay the
            same, so {shown} can sign in again.
          </Text>
        )}
        {ending.error !== null && <ErrorPanel error={ending.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
          {isSignedIn && (
            <Button color="red.8" loading={ending.isPending} onClick={() => ending.mutate(undefined)}>
              Sign out everywhere
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
