import { Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { Link } from 'wouter';
import { webhooksQuery } from '../../../api/queries.ts';
import { EmptyState } from '../../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../../parts/layout/page-header.tsx';
import { automationsPath } from '../paths.ts';
import { useFactorySource } from '../use-factory-source.ts';
import { AutomationEditor } from './automation-editor.tsx';

/** Creates an automation, or, where a repository decides, writes the file for it. */
export function NewAutomationPage() {
  const { factory, mayEdit } = useFactorySource();
  const { data, error, refetch } = useQuery(webhooksQuery(factory));
  return (
    <>
      <PageHeader
        title={mayEdit ? 'Add automation' : 'Draft an automation'}
        trail={[{ label: 'Automations', href: automationsPath(factory) }]}
      />
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={320} />}
      {data?.length === 0 && (
        <EmptyState icon={WebhookIcon} title="A webhook comes first">
          An automation listens to webhooks, and this factory has none yet. Go to{' '}
          <Anchor component={Link} href={`/factories/${encodeURIComponent(factory)}/webhooks`} underline="always">
            Webhooks
          </Anchor>{' '}
          and come back when there is one.
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && <AutomationEditor before={null} webhooks={data} />}
    </>
  );
}
