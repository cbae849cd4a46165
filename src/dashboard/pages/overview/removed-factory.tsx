import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Unplug } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { describeForgetting, describeRenaming } from '../../../domain/words/factory-changes.ts';
import { forgetFactory, renameFactory } from '../../api/factories.ts';
import { factoriesQuery } from '../../api/queries.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { factoryPath } from '../../paths.ts';
import { useMay } from '../../shell/context/session-user.ts';

/** Says that the configuration no longer names the factory, and offers what an owner can do. */
export function RemovedFactory({ factory }: { factory: Factory }) {
  const isOwner = useMay('owner');
  const [opened, setOpened] = useState<'forget' | 'rename' | null>(null);
  const dialog = { factory, onClose: () => setOpened(null) };
  return (
    <Alert color="red" icon={<Unplug />} title="The configuration no longer names this factory">
      <Stack gap="sm">
        <Text size="sm">
          Senders get 404, and queued runs wait. To serve the same URLs again, add {factory.name} to dockbell.yaml and
          run dockbell reload. If the factory has another name there, rename it here. If it was removed, forget it.
        </Text>
        {isOwner ? (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => setOpened('rename')}>
              Rename to …
            </Button>
            <Button size="xs" color="red.8" onClick={() => setOpened('forget')}>
              Forget
            </Button>
          </Group>
        ) : (
          <Text size="sm">An owner can rename or forget it.</Text>
        )}
      </Stack>
      <RenameFactory {...dialog} opened={opened === 'rename'} />
      <ForgetFactory {...dialog} opened={opened === 'forget'} />
    </Alert>
  );
}

interface DialogProps {
  factory: Factory;
  opened: boolean;
  onClose: () => void;
}

/** Leaves the factory before the list of factories does not contain it. */
function useFactoryChange<Input>(factory: Factory, change: (input: Input) => Promise<{ path: string }>) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: change,
    onSuccess: ({ path }) => {
      navigate(path);
      client.setQueryData(factoriesQuery.queryKey, (all) => all?.filter(({ name }) => name !== factory.name));
      void client.invalidateQueries({ queryKey: factoriesQuery.queryKey });
    },
  });
}

function ForgetFactory({ factory, opened, onClose }: DialogProps) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const other = factories.find(({ name }) => name !== factory.name);
  const { mutate, isPending, error } = useFactoryChange(factory, async () => {
    await forgetFactory(factory.name);
    return { path: other === undefined ? '/' : factoryPath(other.name) };
  });
  return (
    <ConfirmChange
      opened={opened}
      onClose={onClose}
      isPending={isPending}
      error={error}
      title="Forget this factory"
      effects={describeForgetting(factory)}
      action="Forget factory"
      isDangerous
      typeToConfirm={factory.name}
      onConfirm={() => mutate(undefined)}
    />
  );
}

function RenameFactory({ factory, opened, onClose }: DialogProps) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const names = factories.filter(({ configured }) => configured).map(({ name }) => name);
  const [chosen, setChosen] = useState<string | null>(null);
  const to = chosen ?? (names.length === 1 ? names[0]! : null);
  const { mutate, isPending, error } = useFactoryChange(factory, async (name: string) => {
    await renameFactory(factory.name, name);
    return { path: factoryPath(name) };
  });
  return (
    <ConfirmChange
      opened={opened}
      onClose={onClose}
      isPending={isPending}
      error={error}
      title="Rename this factory"
      effects={describeRenaming(factory, to ?? 'the chosen factory')}
      action="Rename"
      isBlocked={to === null}
      onConfirm={() => to !== null && mutate(to)}
    >
      <Select label="Name in the configuration" data={names} value={to} onChange={setChosen} />
    </ConfirmChange>
  );
}
