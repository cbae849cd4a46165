import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { changeUser, userSessionsQuery } from '../../../api/users.ts';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { EffectList } from '../../../parts/dialog/effect-list.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { describeEndOfSessions } from './describe-sessions.ts';
import { NewCredentials } from './new-credentials.tsx';
import { NEW_PASSWORD, PasswordField, readPassword } from './password-field.tsx';
import { useUserChange } from './use-user-change.ts';
import type { UserDialogProps } from './user-dialog-props.ts';

/** Sets a new password for a user. */
export function ResetPassword({ user, onClose }: UserDialogProps) {
  const [stored, setStored] = useState<{ shown: string | null } | null>(null);
  const name = escapeText(user.name);
  return (
    <Dialog onClose={onClose} title={`Reset the password of ${name}`} size="lg">
      {stored === null ? (
        <ResetForm user={user} onStored={setStored} onClose={onClose} />
      ) : (
        <NewCredentials
          name={user.name}
          done={`${name} has a new password.`}
          password={stored.shown}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface ResetFormProps extends UserDialogProps {
  onStored: (stored: { shown: string | null }) => void;
}

function ResetForm({ user: { id, name }, onStored, onClose }: ResetFormProps) {
  const [draft, setDraft] = useState(NEW_PASSWORD);
  const { data: sessions } = useQuery(userSessionsQuery(id));
  const { mutate, isPending, error } = useUserChange(
    id,
    (chosen: ReturnType<typeof readPassword>) => store(id, chosen),
    onStored,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(readPassword(draft));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordField draft={draft} onChange={setDraft} />
        <EffectList
          effects={[
            describeEndOfSessions(escapeText(name), sessions?.length),
            'The old password stops working immediately.',
          ]}
        />
        {error !== null && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.8" loading={isPending}>
            Reset password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

async function store(id: string, { password, isGenerated }: ReturnType<typeof readPassword>) {
  await changeUser(id, { password });
  return { shown: isGenerated ? password : null };
}
