import { ActionIcon, Menu, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { BookOpen, CircleUserRound, LogOut, UserRoundCog } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { toProblem } from '../../api/problem.ts';
import { sessionQuery, signOut } from '../../api/session.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { addFactory, useCurrentFactory } from '../context/current-factory.ts';
import { useAskFirst } from '../context/leave-guard.tsx';
import { useSessionUser } from '../context/session-user.ts';

export function UserMenu() {
  const { name, role } = useSessionUser();
  const factory = useCurrentFactory();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const askFirst = useAskFirst();
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      notifications.show({ color: 'red', title: 'Sign-out failed', message: toProblem(error).detail });
      return;
    }
    // The next user must not see cached data of this user.
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, null);
    navigate('/');
  };
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Tooltip label="Account">
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
            <CircleUserRound size={20} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text component="div" size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            <UntrustedText text={name} />
          </Text>
          <Text component="div" size="xs">
            {role}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} href={addFactory('/account', factory)} leftSection={<UserRoundCog size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<BookOpen size={16} />}>
          Documentation
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => askFirst(() => void leave())}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
