import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { changePassword, sessionQuery, sessionsQuery } from '../../api/session.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { useManagesTeam, useSessionUser } from '../../shell/context/session-user.ts';

/** Changes the password of the signed-in user, or explains why there is none. */
export function OwnPassword() {
  const { kind } = useSessionUser();
  return <SectionCard title="Password">{kind === 'local' ? <PasswordForm /> : <NoPassword kind={kind} />}</SectionCard>;
}

function PasswordForm() {
  const { name } = useSessionUser();
  const { mutate, reset, isPending, isSuccess, error } = useChange();
  const [current, setCurrent] = useState('');
  const [fresh, setFresh] = useState('');
  const [repeated, setRepeated] = useState('');
  const isMistyped = repeated !== '' && repeated !== fresh;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (repeated !== fresh) return;
    const clear = () => {
      for (const set of [setCurrent, setFresh, setRepeated]) set('');
    };
    mutate({ current_password: current, new_password: fresh }, { onSuccess: clear });
  };
  const edit = (set: (value: string) => void) => (event: { currentTarget: { value: string } }) => {
    set(event.currentTarget.value);
    if (isSuccess) reset();
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={420}>
        {/* For password managers, which store the password for this user. */}
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          value={current}
          onChange={edit(setCurrent)}
          required
        />
        <PasswordInput
          label="New password"
          description="12 to 256 characters, and not your user name. A passphrase of several words is easy to remember."
          autoComplete="new-password"
          value={fresh}
          onChange={edit(setFresh)}
          required
        />
        <PasswordInput
          label="Confirm new password"
          autoComplete="new-password"
          value={repeated}
          onChange={edit(setRepeated)}
          error={isMistyped ? 'The passwords do not match' : undefined}
          required
        />
        {error !== null && <ErrorPanel error={error} />}
        {isSuccess ? (
          <Alert role="status" color="teal" variant="light" icon={<CircleCheck />} title="Password changed">
            All your other sessions were signed out.
          </Alert>
        ) : (
          <Text size="sm" c="dimmed">
            You stay signed in here. All your other sessions are signed out immediately.
          </Text>
        )}
        <Group>
          <Button type="submit" loading={isPending} disabled={isMistyped}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: changePassword,
    gcTime: 0,
    onSuccess: async (user) => {
      await queryClient.cancelQueries(sessionQuery);
      queryClient.setQueryData(sessionQuery.queryKey, user);
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
}

function NoPassword({ kind }: { kind: 'oidc' | 'token' | 'link' }) {
  const mayAddUsers = useManagesTeam();
  if (kind === 'oidc') {
    return <Text size="sm">You sign in with the OpenID provider of your team. Change your password there.</Text>;
  }
  return (
    <Text size="sm">
      {kind === 'token'
        ? 'You signed in with an API token, which has no password. '
        : 'You signed in with a login link, which works once and has no password. '}
      {mayAddUsers ? (
        <>
          To sign in with a password, add a user for yourself in{' '}
          <Anchor component={Link} href="/settings/users" inherit underline="always">
            Settings &gt; Users
          </Anchor>
          .
        </>
      ) : (
        'Ask an owner to add a user for you.'
      )}
    </Text>
  );
}
