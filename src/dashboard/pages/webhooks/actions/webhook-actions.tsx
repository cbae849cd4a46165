import { Button, Menu } from '@mantine/core';
import { ChevronDown, KeyRound, Pencil, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { Factory, NewWebhook } from '../../../../client/api-types.ts';
import type { TaggedWebhook } from '../../../api/queries.ts';
import { EnabledToggle } from '../../../parts/form/enabled-toggle.tsx';
import { useMay } from '../../../shell/context/session-user.ts';
import { awaitsSecret } from '../webhook-names.ts';
import { DeleteWebhook, RenameWebhook, ToggleWebhook } from './edit-dialogs.tsx';
import { EditProvider } from './edit-provider.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { SendTest } from './send-test.tsx';

interface WebhookActionsProps {
  tagged: TaggedWebhook;
  source: Factory['source'];
  onRotated: (webhook: NewWebhook) => void;
}

type Action = 'toggle' | 'provider' | 'rename' | 'rotate' | 'delete';

/** Actions on a webhook. If the factory is managed in Git, users can only send a test delivery. */
export function WebhookActions({ tagged, source, onRotated }: WebhookActionsProps) {
  const [action, setAction] = useState<Action | null>(null);
  const { webhook } = tagged;
  const isHosted = source?.type === 'managed' || source?.type === 'live';
  const mayEdit = useMay('manager') && isHosted && webhook.deleted_at === null;
  const close = () => setAction(null);
  const isLive = source?.type === 'live';
  return (
    <>
      {mayEdit && !awaitsSecret(webhook) && (
        <EnabledToggle enabled={webhook.enabled} onToggle={() => setAction('toggle')} />
      )}
      {webhook.enabled && webhook.deleted_at === null && <SendTest webhook={webhook} />}
      {mayEdit && (
        <>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
                Actions
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<KeyRound size={16} />} onClick={() => setAction('rotate')}>
                Rotate secret
              </Menu.Item>
              <Menu.Item leftSection={<Workflow size={16} />} onClick={() => setAction('provider')}>
                Provider triggers
              </Menu.Item>
              {isLive && (
                <Menu.Item leftSection={<Pencil size={16} />} onClick={() => setAction('rename')}>
                  Rename
                </Menu.Item>
              )}
              <Menu.Divider />
              <Menu.Item leftSection={<Trash2 size={16} />} color="red" onClick={() => setAction('delete')}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <ToggleWebhook tagged={tagged} opened={action === 'toggle'} onClose={close} />
          <RotateSecret
            tagged={tagged}
            isLive={isLive}
            onRotated={onRotated}
            opened={action === 'rotate'}
            onClose={close}
          />
          <EditProvider key={tagged.etag} tagged={tagged} opened={action === 'provider'} onClose={close} />
          <RenameWebhook tagged={tagged} opened={action === 'rename'} onClose={close} />
          <DeleteWebhook tagged={tagged} opened={action === 'delete'} onClose={close} />
        </>
      )}
    </>
  );
}
