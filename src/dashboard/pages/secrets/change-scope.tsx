import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Secret } from '../../../client/api-types.ts';
import { describeScope } from '../../../domain/words/credentials.ts';
import { changeScope, draftScope, isComplete, secretsQuery } from '../../api/secrets.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { ScopeFields } from '../../parts/form/scope-fields.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';

/** Changes which factories may use a secret, without a new value. */
export function ChangeScope({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const { name } = secret;
  const [scope, setScope] = useState(() => draftScope(secret.scope));
  const [force, setForce] = useState(false);
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: changeScope,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: secretsQuery.queryKey });
      notifications.show({ message: `Scope of ${name} changed.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ name, scope, force });
  };
  return (
    <Dialog onClose={onClose} title={`Scope of ${name}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">Current scope: {describeScope(secret.scope)}.</Text>
          <ScopeFields scope={scope} onChange={setScope} />
          {error !== null && (
            <>
              <ErrorPanel error={error} />
              <Checkbox
                label="Change it even though an excluded factory uses the secret"
                description="Runs of that factory fail. Its webhooks keep the current value, and its next apply fails."
                checked={force}
                onChange={(event) => setForce(event.currentTarget.checked)}
              />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={!isComplete(scope)}>
              Change scope
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
