import { Badge, Group, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { BrowserSession } from '../../../client/api-types.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { type DataColumn, DataTable } from '../table/data-table.tsx';
import { UntrustedText } from '../text/untrusted-text.tsx';
import { TimeText } from '../time/time-text.tsx';
import { describeBrowser } from './describe-browser.ts';

interface SessionTableProps {
  label: string;
  /** `undefined` while loading. */
  sessions: readonly BrowserSession[] | undefined;
  /** Buttons for one session. */
  renderActions?: (session: BrowserSession) => ReactNode;
  empty?: ReactNode;
}

/** Lists browser sessions. */
export function SessionTable({ label, sessions, renderActions, empty }: SessionTableProps) {
  const actions: DataColumn<BrowserSession>[] =
    renderActions === undefined
      ? []
      : [{ header: 'Actions', hideHeader: true, align: 'end', render: (session) => renderActions(session) }];
  return (
    <DataTable label={label} columns={[...COLUMNS, ...actions]} rows={sessions} rowKey={({ id }) => id} empty={empty} />
  );
}

const COLUMNS: DataColumn<BrowserSession>[] = [
  { header: 'Browser', render: (session) => <Browser session={session} /> },
  { header: 'IP address', render: ({ client_address }) => <UntrustedText text={client_address} /> },
  { header: 'Signed in', render: ({ created_at }) => <TimeText at={created_at} /> },
  { header: 'Last used', render: ({ last_used_at }) => <TimeText at={last_used_at} /> },
];

function Browser({ session: { user_agent, current } }: { session: BrowserSession }) {
  const words = (
    <Text size="sm" fw={600}>
      <UntrustedText text={describeBrowser(user_agent)} />
    </Text>
  );
  return (
    <Group gap="xs">
      {user_agent === null ? (
        words
      ) : (
        <Tooltip label={escapeText(user_agent)} multiline maw={420} style={{ overflowWrap: 'anywhere' }}>
          {words}
        </Tooltip>
      )}
      {current && (
        <Badge variant="light" radius="sm" tt="none">
          Current session
        </Badge>
      )}
    </Group>
  );
}
