import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Reconciliation } from '../../api/types.ts';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import type { DataColumn } from '../../parts/table/data-table.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { countChanges } from './plan-changes.ts';
import { reconciliationPath } from './reconciliation-path.ts';

export const RECONCILIATION_COLUMNS: DataColumn<Reconciliation>[] = [
  {
    header: 'Outcome',
    render: ({ factory, id, result, reason_text }) => (
      <Group gap="sm" wrap="nowrap">
        <StatusBadge state={result} />
        <Anchor component={Link} href={reconciliationPath(factory, id)} size="sm" fw={600}>
          <ForeignText text={reason_text.replace(/\.$/, '')} />
        </Anchor>
      </Group>
    ),
  },
  { header: 'Revision', render: ({ revision }) => <RevisionText revision={revision} /> },
  { header: 'Changes', render: ({ plan }) => <Text size="sm">{countChanges(plan)}</Text> },
  { header: 'Findings', render: ({ diagnostics }) => <Text size="sm">{diagnostics.length || '–'}</Text> },
  { header: 'When', render: ({ finished_at }) => <TimeText at={finished_at} isFocusable={false} /> },
];
