import { Anchor, Code, Paper, Stack, Table, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { aboutQuery } from '../../api/about.ts';
import { ForeignText } from '../../parts/foreign-text.tsx';
import { useSessionUser } from '../../shell/session-user.ts';
import { SettingsFrame } from './settings-frame.tsx';

/** Which version runs, who is signed in, and where more is written. */
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
                  <ForeignText text={name} />, {role}
                </Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th>Factories in reach</Table.Th>
                <Table.Td>{factories === null ? 'all' : factories.join(', ')}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </Paper>
        <Text size="sm">
          The program brings its documentation along in the folder <Code>docs/</Code> of its package, and its commands
          explain themselves with <Code>--help</Code>. The management API describes itself as{' '}
          <Anchor underline="always" href="/api/v1/openapi.json" target="_blank" rel="noreferrer">
            OpenAPI
          </Anchor>
          ; definitions of{' '}
          <Anchor underline="always" href="/api/v1/schemas" target="_blank" rel="noreferrer">
            webhooks and automations
          </Anchor>{' '}
          as JSON Schemas for editors.
        </Text>
      </Stack>
    </SettingsFrame>
  );
}
