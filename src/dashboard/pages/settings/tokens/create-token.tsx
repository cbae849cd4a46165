import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createToken, tokensQuery } from '../../../api/tokens.ts';
import type { Access } from '../../../api/users.ts';
import { OneTimeValue } from '../../../parts/copy/one-time-value.tsx';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { AccessFields } from '../access-fields.tsx';

/** Makes an API token, and shows its text once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: createToken,
    // The text of the token goes with the dialog.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <Dialog onClose={onClose} title="Create token" size="lg">
      {data === undefined ? (
        <TokenForm {...{ onClose, isPending, error }} onCreate={mutate} />
      ) : (
        <Stack>
          <OneTimeValue
            what="API token"
            value={data.token}
            advice={`It may do what the role ${data.role} may, from now on.`}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

interface TokenFormProps {
  onCreate: (token: Access & { name: string }) => void;
  onClose: () => void;
  isPending: boolean;
  error: unknown;
}

function TokenForm({ onCreate, onClose, isPending, error }: TokenFormProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access>({ role: 'viewer', factories: null });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCreate({ name, ...access });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What it is for; the audit log and this list show it."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          autoComplete="off"
          data-autofocus
          required
        />
        <AccessFields what="token" access={access} onChange={setAccess} />
        {error !== null && <ErrorPanel error={error} />}
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            The text is shown once.
          </Text>
          <Group>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={name.trim() === ''}>
              Create token
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
