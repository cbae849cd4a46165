import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { SECRET_NAME_PATTERN } from '../../../domain/words/names.ts';
import { isComplete, type ScopeDraft, secretsQuery, storeSecret } from '../../api/secrets.ts';
import { OneTimeValue } from '../copy/one-time-value.tsx';
import { ScopeFields } from '../form/scope-fields.tsx';
import { generateSecretValue, type SecretOrigin, SecretValueField } from '../form/secret-value-field.tsx';
import { ErrorPanel } from '../layout/error-panel.tsx';
import { Dialog } from './dialog.tsx';
import { EffectList } from './effect-list.tsx';

interface StoreSecretProps {
  opened: boolean;
  onClose: () => void;
  mode: 'create' | 'update';
  /** `null` if the user enters the name. */
  name: string | null;
  /** Effects of storing it, one sentence each. */
  effects: string[];
  /** The factories of the scope that the form begins with. Only for a new secret. */
  factories?: string[];
}

/** Creates a team secret or stores a new version of it. */
export function StoreSecret(props: StoreSecretProps) {
  const { opened, onClose, mode, name } = props;
  const title = mode === 'create' ? 'Create secret' : `Update ${name}`;
  if (!opened) return null;
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <StoreForm {...props} />
    </Dialog>
  );
}

/** The state is discarded with the dialog, so no value stays in memory. */
function StoreForm({ mode, name: fixedName, effects, factories = [], onClose }: StoreSecretProps) {
  const [name, setName] = useState(fixedName ?? '');
  const [origin, setOrigin] = useState<SecretOrigin>('typed');
  const [value, setValue] = useState('');
  const [scope, setScope] = useState<ScopeDraft>({ factories, uses: ['webhook', 'run'] });
  const { mutate, isPending, error, data: stored } = useStoring();
  if (stored !== undefined) return <Stored {...stored} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isGenerated = origin === 'generated';
    const chosen = mode === 'create' ? { scope } : {};
    mutate({ name, mode, value: isGenerated ? generateSecretValue() : value, isGenerated, ...chosen });
  };
  const hasValue = origin === 'generated' || value !== '';
  const canStore = name !== '' && hasValue && (mode === 'update' || isComplete(scope));
  return (
    <form onSubmit={submit}>
      <Stack>
        {fixedName === null && <NameField name={name} onChange={setName} />}
        {fixedName !== null && mode === 'create' && <TextInput label="Name" value={name} readOnly />}
        <SecretValueField origin={origin} onOriginChange={setOrigin} value={value} onValueChange={setValue} />
        {mode === 'create' && <ScopeFields scope={scope} onChange={setScope} />}
        {effects.length > 0 && <EffectList effects={effects} />}
        {error !== null && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={!canStore}>
            {mode === 'create' ? 'Create secret' : 'Update secret'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Storing {
  name: string;
  mode: 'create' | 'update';
  value: string;
  isGenerated: boolean;
  scope?: ScopeDraft;
}

function useStoring() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ isGenerated, ...secret }: Storing) => {
      const { name, version } = await storeSecret(secret);
      return { name, version, shown: isGenerated ? secret.value : null };
    },
    // The value must not stay in the cache after the dialog is closed.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: secretsQuery.queryKey }),
  });
}

function NameField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="Letters, digits and underscores. Definition files refer to the secret by this name."
      placeholder="CI_WEBHOOK_SECRET"
      value={name}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      pattern={SECRET_NAME_PATTERN.source}
      maxLength={128}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
      required
    />
  );
}

interface StoredProps {
  name: string;
  version: number;
  /** The generated value; `null` if the user entered it. */
  shown: string | null;
  onClose: () => void;
}

function Stored({ name, version, shown, onClose }: StoredProps) {
  return (
    <Stack>
      <Text size="sm" role="status">
        {name} is stored as version {version}.
      </Text>
      {shown !== null && <OneTimeValue what="secret" value={shown} advice="Give it to the sender or the provider." />}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
