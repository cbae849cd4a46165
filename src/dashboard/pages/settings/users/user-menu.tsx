import { ActionIcon, Menu } from '@mantine/core';
import { Ban, CircleCheck, Ellipsis, KeyRound, MonitorSmartphone, ScrollText, Shield, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { Link } from 'wouter';
import type { User } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import type { UserDialogKind } from './user-dialog.tsx';

interface UserMenuProps {
  user: User;
  isSelf: boolean;
  onChoose: (kind: UserDialogKind) => void;
}

/** Actions on one user. Role and password of OpenID users are managed by the provider. */
export function UserMenu({ user, isSelf, onChoose }: UserMenuProps) {
  const isLocal = user.kind === 'local';
  const target = useRef<HTMLButtonElement>(null);
  const choose = (kind: UserDialogKind) => {
    // The menu item is removed with the menu. The dialog returns the focus to the menu button.
    target.current?.focus();
    onChoose(kind);
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          ref={target}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`Actions for ${escapeText(user.name)}`}
        >
          <Ellipsis size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isLocal && (
          <Menu.Item leftSection={<Shield size={16} />} onClick={() => choose('access')}>
            Role and factories
          </Menu.Item>
        )}
        {isLocal && !isSelf && (
          <Menu.Item leftSection={<KeyRound size={16} />} onClick={() => choose('password')}>
            Reset password
          </Menu.Item>
        )}
        {isLocal && isSelf && (
          <Menu.Item component={Link} href="/account" leftSection={<KeyRound size={16} />}>
            Change your password
          </Menu.Item>
        )}
        <Menu.Item leftSection={<MonitorSmartphone size={16} />} onClick={() => choose('sessions')}>
          Sessions
        </Menu.Item>
        <Menu.Item
          component={Link}
          href={`/settings/audit?actor=${encodeURIComponent(user.id)}`}
          leftSection={<ScrollText size={16} />}
        >
          View audit log
        </Menu.Item>
        <Menu.Divider />
        {user.disabled ? (
          <Menu.Item leftSection={<CircleCheck size={16} />} onClick={() => choose('enable')}>
            Enable
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<Ban size={16} />} onClick={() => choose('disable')}>
            Disable
          </Menu.Item>
        )}
        <Menu.Item color="red" leftSection={<Trash2 size={16} />} onClick={() => choose('delete')}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
