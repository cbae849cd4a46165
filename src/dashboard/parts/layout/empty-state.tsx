import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** Why there is nothing, and what to do so that there is something. */
  children: ReactNode;
  action?: ReactNode;
}

/** In the place of a list that has no rows yet: teaches the next step. */
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
