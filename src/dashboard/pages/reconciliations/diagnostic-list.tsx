import { Code, Group, Paper, Stack, Text } from '@mantine/core';
import type { DiagnosticView } from '../../../client/api-types.ts';
import { CopyButton } from '../../parts/copy/copy-button.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { RuleLink } from '../../parts/rules/rule-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';

/** Findings in a definition, each with its location. */
export function DiagnosticList({ diagnostics }: { diagnostics: readonly DiagnosticView[] }) {
  return (
    <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {diagnostics.map((diagnostic) => (
        <Finding key={JSON.stringify(diagnostic)} diagnostic={diagnostic} />
      ))}
    </Stack>
  );
}

function Finding({ diagnostic }: { diagnostic: DiagnosticView }) {
  const { severity, rule, file, line, column, path, message, hint } = diagnostic;
  const location = file === '' ? '' : `${file}:${line}:${column}`;
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap={6}>
        <Group gap="xs" wrap="wrap">
          <StatusBadge state={severity} />
          {location !== '' && (
            <Group gap={2} wrap="nowrap" style={{ minWidth: 0 }}>
              <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
                <UntrustedText text={location} />
              </Text>
              <CopyButton value={location} what="location" />
            </Group>
          )}
          {path !== '' && (
            <Code>
              <UntrustedText text={path} />
            </Code>
          )}
          <RuleLink rule={rule} />
        </Group>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={message} />
        </Text>
        {hint !== '' && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <UntrustedText text={hint} />
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
