import { Group, Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionCardProps {
  title: string;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled section of a page. */
export function SectionCard({ title, actions, children }: SectionCardProps) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} withBorder radius="lg" p="lg">
      <Group justify="space-between" mb="sm">
        <Title id={id} order={2} size="h5">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
