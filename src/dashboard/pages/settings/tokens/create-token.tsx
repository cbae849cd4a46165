import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createToken, tokensQuery } from '../../../api/tokens.ts';
import type { Access } from '../../../api/users.ts';
import { OneTimeValue } from '../../../parts/copy/one-time-value.tsx';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { AccessFields } from '../access-fields.tsx';

/** Creates an API token and shows it once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: createToken,
    // The token must not stay in the cache after the dialog is closed.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <Dialog onClose={onClose} title="Create token" size="lg">
      {data === undefined ? (
        <TokenForm onClose={onClose} isPending={isPending} error={error} onCreate={mutate} />
      ) : (
        <Stack>
          <OneTimeValue
            what="API token"
            value={data.token}
            advice={`It has the role ${data.role} and is valid immediately.`}
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
          description="Shown in this list and in the audit log."
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
            The token is shown once.
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
