import { Button, Group, Modal, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { factoriesQuery } from '../../api/queries.ts';
import { createToken, tokensQuery } from '../../api/tokens.ts';
import type { Role } from '../../api/types.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { OneTimeValue } from '../../parts/one-time-value.tsx';
import { ROLE_CHOICES } from './role-choices.ts';

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
    <Modal opened onClose={onClose} title="Create token" centered size="lg">
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
    </Modal>
  );
}

interface TokenFormProps {
  onCreate: (token: { name: string; role: Role; factories: string[] | null }) => void;
  onClose: () => void;
  isPending: boolean;
  error: unknown;
}

function TokenForm({ onCreate, onClose, isPending, error }: TokenFormProps) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [chosen, setChosen] = useState<string[]>([]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCreate({ name, role, factories: chosen.length === 0 ? null : chosen });
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
        <Select
          label="Role"
          data={ROLE_CHOICES}
          value={role}
          onChange={(value) => value !== null && setRole(value as Role)}
          allowDeselect={false}
        />
        <MultiSelect
          label="Factories"
          description="What it is limited to; none chosen means all. A limited token reaches no secrets, tokens or users."
          data={factories.map((factory) => factory.name)}
          value={chosen}
          onChange={setChosen}
          placeholder={chosen.length === 0 ? 'all' : undefined}
        />
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
