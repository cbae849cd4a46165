import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import {
  automationQuery,
  deleteAutomation,
  replaceAutomation,
  type TaggedAutomation,
} from '../../../api/automations.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';
import { EnabledToggle } from '../../../parts/form/enabled-toggle.tsx';
import { factoryPath } from '../../../paths.ts';
import { bodyOf } from '../editor/automation-draft.ts';

/**
 * Buttons to enable, disable and delete an automation. Each asks for confirmation.
 *
 * @param children shown between the switch and the delete button
 */
export function AutomationSwitches({ tagged, children }: { tagged: TaggedAutomation; children: ReactNode }) {
  const [asked, setAsked] = useState<'switch' | 'delete' | null>(null);
  const { enabled } = tagged.automation;
  const close = () => setAsked(null);
  return (
    <>
      <EnabledToggle enabled={enabled} onToggle={() => setAsked('switch')} />
      {children}
      <Button variant="default" leftSection={<Trash2 size={15} />} onClick={() => setAsked('delete')}>
        Delete
      </Button>
      <SwitchDialog tagged={tagged} opened={asked === 'switch'} onClose={close} />
      <DeleteDialog tagged={tagged} opened={asked === 'delete'} onClose={close} />
    </>
  );
}

interface DialogProps {
  tagged: TaggedAutomation;
  opened: boolean;
  onClose: () => void;
}

function SwitchDialog({ tagged: { automation, etag }, opened, onClose }: DialogProps) {
  const { factory, name, enabled } = automation;
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => replaceAutomation(factory, name, { ...bodyOf(automation), enabled: !enabled }, etag),
    onSuccess: async (changed) => {
      queryClient.setQueryData(automationQuery(factory, name).queryKey, changed);
      await queryClient.invalidateQueries({ queryKey: ['factory', factory] });
      onClose();
    },
  });
  const effects = enabled
    ? [
        'Deliveries no longer start this automation.',
        'Deliveries are still accepted and logged.',
        'Queued and running runs continue.',
      ]
    : ['New deliveries start it again.', 'Deliveries received while it was disabled do not start it.'];
  return (
    <ConfirmChange
      opened={opened}
      isPending={isPending}
      error={error}
      effects={effects}
      onClose={onClose}
      title={enabled ? 'Disable this automation' : 'Enable this automation'}
      action={enabled ? 'Disable' : 'Enable'}
      onConfirm={() => mutate()}
    />
  );
}

function DeleteDialog({ tagged: { automation, etag }, opened, onClose }: DialogProps) {
  const { factory, name } = automation;
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteAutomation(factory, name, etag),
    onSuccess: async () => {
      navigate(factoryPath(factory, 'automations'));
      queryClient.removeQueries({ queryKey: automationQuery(factory, name).queryKey });
      notifications.show({ message: 'Automation deleted.' });
      await queryClient.invalidateQueries({ queryKey: ['factory', factory] });
    },
  });
  return (
    <ConfirmChange
      opened={opened}
      isPending={isPending}
      error={error}
      isDangerous
      onClose={onClose}
      title="Delete this automation"
      effects={['Deliveries no longer start it.', 'Its webhooks, deliveries and runs are kept, including queued runs.']}
      action="Delete automation"
      typeToConfirm={name}
      onConfirm={() => mutate()}
    />
  );
}
