import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Webhook } from '../../../client/api-types.ts';
import { deletedWebhooksQuery } from '../../api/queries.ts';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { CommitText } from '../../parts/text/commit-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { objectPath } from '../../paths.ts';

/** The deleted webhooks with the commit that deleted each; nothing if no webhook was deleted. */
export function DeletedWebhooks({ factory }: { factory: string }) {
  const { data = [] } = useQuery(deletedWebhooksQuery(factory));
  if (data.length === 0) return null;
  return (
    <SectionCard title="Deleted webhooks">
      <DataTable label="Deleted webhooks" columns={COLUMNS} rows={data} rowKey={({ uid }) => uid} empty={null} />
    </SectionCard>
  );
}

const COLUMNS: DataColumn<Webhook>[] = [
  {
    header: 'Name',
    render: ({ factory, uid, name }) => (
      <Anchor component={Link} href={objectPath(factory, 'webhooks', uid)} size="sm">
        <UntrustedText text={name} />
      </Anchor>
    ),
  },
  { header: 'Deleted', render: ({ deleted_at: at }) => at !== null && <TimeText at={at} isFocusable={false} /> },
  { header: 'Deleted by', render: ({ commit }) => (commit === null ? '–' : <CommitText commit={commit} />) },
];
