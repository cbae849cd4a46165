import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** Why the list is empty, and what to do next. */
  children: ReactNode;
  action?: ReactNode;
}

/** Shown instead of an empty list. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <Paper withBorder p="xl" radius="lg">
      <Stack align="center" gap="sm" ta="center" py="md">
        <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
          <Icon size={24} />
        </ThemeIcon>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" maw={520} component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
