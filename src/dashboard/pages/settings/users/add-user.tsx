import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { User } from '../../../../client/api-types.ts';
import { type Access, createUser, usersQuery } from '../../../api/users.ts';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { AccessFields } from '../access-fields.tsx';
import { NewCredentials } from './new-credentials.tsx';
import { NEW_PASSWORD, PasswordField, readPassword } from './password-field.tsx';

/** Adds a user who signs in with a password. */
export function AddUser({ onClose }: { onClose: () => void }) {
  const [added, setAdded] = useState<Added | null>(null);
  return (
    <Dialog onClose={onClose} title="Add user" size="lg">
      {added === null ? (
        <UserForm onAdded={setAdded} onClose={onClose} />
      ) : (
        <NewCredentials
          name={added.user.name}
          done={`User ${added.user.name} was added with the role ${added.user.role}.`}
          password={added.shown}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface Added {
  user: User;
  /** The generated password; `null` if it was entered. */
  shown: string | null;
}

function UserForm({ onAdded, onClose }: { onAdded: (added: Added) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access>({ role: 'viewer', factories: null });
  const [draft, setDraft] = useState(NEW_PASSWORD);
  const { mutate, isPending, error } = useAdding(onAdded);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ name, ...access, ...readPassword(draft) });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Used to sign in. Letters, digits and . _ @ + - are allowed, for example alice or alice@example.com."
          value={name}
          onChange={(event) => setName(event.currentTarget.value.trim())}
          pattern="[A-Za-z0-9][A-Za-z0-9._@+\-]*"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          required
        />
        <AccessFields what="user" access={access} onChange={setAccess} />
        <PasswordField draft={draft} onChange={setDraft} />
        {error !== null && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={name === ''}>
            Add user
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type NewUser = Access & { name: string; password: string; isGenerated: boolean };

function useAdding(onAdded: (added: Added) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ isGenerated, ...user }: NewUser): Promise<Added> => ({
      user: await createUser(user),
      shown: isGenerated ? user.password : null,
    }),
    // The password must not stay in the cache after the dialog is closed.
    gcTime: 0,
    onSuccess: async (added) => {
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      onAdded(added);
    },
  });
}
