import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { useNamedFactory } from '../../shell/context/current-factory.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';

interface PageHeaderProps {
  title: string;
  /** Title of the browser tab, if `title` alone is ambiguous. */
  tabTitle?: string;
  /** One sentence that describes the page. */
  lead?: ReactNode;
  /** Breadcrumbs, outermost first. */
  trail?: { label: string; href: string }[];
  /** Status badge next to the title. */
  status?: ReactNode;
  /** Buttons at the end of the header. */
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
          // Long names must wrap on narrow screens.
          styles={{
            root: { flexWrap: 'wrap' },
            breadcrumb: { overflowWrap: 'anywhere', whiteSpace: 'normal' },
          }}
        >
          {trail.map(({ label, href }) => (
            <Anchor key={href} component={Link} href={href} size="sm">
              <UntrustedText text={label} />
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start" gap="md">
        {/* If both do not fit in one row, the actions wrap below the title. */}
        <Stack gap={6} flex="1 1 20rem" miw={0}>
          <Group gap="sm">
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              <UntrustedText text={title} />
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

/** The most specific part first, because tabs show only the beginning: `ci · Webhooks · payments · Dockbell`. */
function useTabTitle(parts: readonly string[]): void {
  const factory = useNamedFactory();
  const all = factory === null ? parts : [...parts, factory];
  useDocumentTitle([...all.map(escapeText), 'Dockbell'].join(' · '));
}
