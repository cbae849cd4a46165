import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createToken, tokensQuery } from '../../../api/tokens.ts';
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
            advice={`It has the role ${data.role} and is valid immediately${data.expires_at === null ? '' : ', for a limited time'}.`}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

type TokenToCreate = Parameters<typeof createToken>[0];

const NEVER = 'never';
const LIFETIMES = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: '1 year' },
  { value: NEVER, label: 'Never' },
];

interface TokenFormProps {
  onCreate: (token: TokenToCreate) => void;
  onClose: () => void;
  isPending: boolean;
  error: unknown;
}

function TokenForm({ onCreate, onClose, isPending, error }: TokenFormProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Pick<TokenToCreate, 'role' | 'factories'>>({ role: 'viewer', factories: null });
  const [lifetime, setLifetime] = useState('90d');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCreate({ name, ...access, expires_in: lifetime === NEVER ? null : lifetime });
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
        <Select
          label="Expires after"
          description="Requests with an expired token are rejected."
          data={LIFETIMES}
          value={lifetime}
          onChange={(chosen) => chosen !== null && setLifetime(chosen)}
          allowDeselect={false}
        />
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
