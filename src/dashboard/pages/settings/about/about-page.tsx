import { Anchor, Code, Paper, Stack, Table, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { aboutQuery } from '../../../api/about.ts';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { useSessionUser } from '../../../shell/context/session-user.ts';
import { SettingsFrame } from '../settings-frame.tsx';
import { Documentation } from './documentation.tsx';

/** Version, signed-in user and documentation. */
export function AboutPage() {
  const { data: version } = useSuspenseQuery(aboutQuery);
  const { name, role, factories } = useSessionUser();
  return (
    <SettingsFrame>
      <Stack>
        <Paper withBorder p="md">
          <Table variant="vertical" layout="fixed" withRowBorders={false}>
            <Table.Tbody>
              <Table.Tr>
                <Table.Th w={180}>Version</Table.Th>
                <Table.Td>{version}</Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th>Signed in as</Table.Th>
                <Table.Td>
                  <UntrustedText text={name} />, {role}
                </Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th>Factories</Table.Th>
                <Table.Td>{factories === null ? 'All' : factories.join(', ')}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </Paper>
        <Text size="sm">
          Management API:{' '}
          <Anchor underline="always" href="/api/v1/openapi.json" target="_blank" rel="noreferrer">
            OpenAPI document
          </Anchor>
          . JSON Schemas for editors:{' '}
          <Anchor underline="always" href="/api/v1/schemas" target="_blank" rel="noreferrer">
            webhooks and automations
          </Anchor>
          . Help for each command: <Code>dockbell --help</Code>
        </Text>
        <Documentation />
      </Stack>
    </SettingsFrame>
  );
}
