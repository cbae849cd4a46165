import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Revision } from '../../../client/api-types.ts';
import { revisionsQuery } from '../../api/revisions.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { useHeldUpdates } from '../../parts/live/use-held-updates.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { ShowOlder } from '../../parts/table/show-older.tsx';
import { useShownPages } from '../../parts/table/use-shown-pages.ts';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { useMay } from '../../shell/context/session-user.ts';
import { RevertDialog } from './revert-dialog.tsx';

/** The revisions of a managed factory, with a button to revert to each. */
export function RevisionsList({ factory }: { factory: string }) {
  const query = revisionsQuery(factory);
  const history = useInfiniteQuery(query);
  const pages = useShownPages(history);
  const [target, setTarget] = useState<Revision | null>(null);
  const held = useHeldUpdates(
    query.queryKey,
    ({ type, data: { factory: name } }) => type === 'reconciliation' && name === factory,
    // The dialog lists the reverted changes, so the list must not change while it is open.
    target !== null,
  );
  const mayRevert = useMay('manager');
  const revisions = pages.rows;
  if (history.error !== null) return <ErrorPanel error={history.error} onRetry={() => void history.refetch()} />;
  const head = revisions?.[0]?.revision;
  const columns = mayRevert ? [...COLUMNS, revertColumn(head, setTarget)] : COLUMNS;
  return (
    <Stack>
      <DataTable label="Revisions" columns={columns} rows={revisions} rowKey={({ revision }) => revision} held={held} />
      <ShowOlder pages={pages} />
      {target !== null && (
        <RevertDialog factory={factory} target={target} revisions={revisions ?? []} onClose={() => setTarget(null)} />
      )}
    </Stack>
  );
}

const COLUMNS: DataColumn<Revision>[] = [
  {
    header: 'Change',
    render: ({ message }) => (
      <Text size="sm" fw={600}>
        <UntrustedText text={message} />
      </Text>
    ),
  },
  { header: 'Author', render: ({ author }) => <UntrustedText text={author} /> },
  { header: 'Revision', render: ({ revision }) => <RevisionText revision={revision} /> },
  { header: 'Created', render: ({ created_at }) => <TimeText at={created_at} /> },
];

function revertColumn(head: string | undefined, onRevert: (revision: Revision) => void): DataColumn<Revision> {
  return {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    render: (revision) =>
      revision.revision === head ? (
        <Text size="xs" c="dimmed">
          Current
        </Text>
      ) : (
        <Button size="xs" variant="default" onClick={() => onRevert(revision)}>
          Revert to this revision
        </Button>
      ),
  };
}
