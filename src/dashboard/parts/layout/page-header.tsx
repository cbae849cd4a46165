import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { escapeText } from '../../../words/escape-text.ts';
import { useNamedFactory } from '../../shell/context/current-factory.ts';
import { ForeignText } from '../text/foreign-text.tsx';

interface PageHeaderProps {
  title: string;
  /** Of the tab of the browser, where `title` alone does not say what the page is of. */
  tabTitle?: string;
  /** One sentence: what this page is for. */
  lead?: ReactNode;
  /** The way back, outermost first. */
  trail?: { label: string; href: string }[];
  /** Beside the title: a state. */
  status?: ReactNode;
  /** At the end: what can be done here. */
  actions?: ReactNode;
}

export function PageHeader({ title, tabTitle = title, lead, trail = [], status, actions }: PageHeaderProps) {
  useTabTitle([tabTitle, ...trail.map(({ label }) => label).reverse()]);
  return (
    <Stack gap={6} mb="lg">
      {trail.length > 0 && (
        <Breadcrumbs
          component="nav"
          aria-label="Breadcrumb"
          // Names may be longer than a phone is wide.
          styles={{
            root: { flexWrap: 'wrap' },
            breadcrumb: { overflowWrap: 'anywhere', whiteSpace: 'normal' },
          }}
        >
          {trail.map(({ label, href }) => (
            <Anchor key={href} component={Link} href={href} size="sm">
              <ForeignText text={label} />
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start" gap="md">
        {/* Where both do not fit, what can be done stands below what this is. */}
        <Stack gap={6} flex="1 1 20rem" miw={0}>
          <Group gap="sm">
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              <ForeignText text={title} />
            </Title>
            {status}
          </Group>
          {lead !== undefined && (
            <Text c="dimmed" maw={720}>
              {lead}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
    </Stack>
  );
}

/** From the part to the whole, as tabs show only the beginning: `ci · Webhooks · payments · Dockbell`. */
function useTabTitle(parts: readonly string[]): void {
  const factory = useNamedFactory();
  const all = factory === null ? parts : [...parts, factory];
  useDocumentTitle([...all.map(escapeText), 'Dockbell'].join(' · '));
}
