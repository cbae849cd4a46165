import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { HealthFinding } from './assess-health.ts';

/** What went wrong of late, each with the way to it. */
export function HealthFindings({ findings }: { findings: readonly HealthFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <Alert color="orange" icon={<TriangleAlert />} title="Needs attention">
      <Stack gap={4} component="ul" m={0} pl="md">
        {findings.map(({ title, link }) => (
          <Text key={title} component="li" size="sm">
            {title}.{' '}
            <Anchor component={Link} href={link.href} size="sm" underline="always">
              {link.label}
            </Anchor>
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
