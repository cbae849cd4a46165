import { Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { Link } from 'wouter';
import { webhooksQuery } from '../../../api/queries.ts';
import { EmptyState } from '../../../parts/layout/empty-state.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../../parts/layout/page-header.tsx';
import { factoryPath } from '../../../paths.ts';
import { useFactorySource } from '../use-factory-source.ts';
import { AutomationEditor } from './automation-editor.tsx';

/** Creates an automation, or drafts its file if the factory is managed in Git. */
export function NewAutomationPage() {
  const { factory, mayEdit } = useFactorySource();
  const { data, error, refetch } = useQuery(webhooksQuery(factory));
  return (
    <>
      <PageHeader
        title={mayEdit ? 'Add automation' : 'Draft automation'}
        trail={[{ label: 'Automations', href: factoryPath(factory, 'automations') }]}
      />
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={320} />}
      {data?.length === 0 && (
        <EmptyState icon={WebhookIcon} title="Add a webhook first">
          An automation needs a webhook, and this factory has none. Add one under{' '}
          <Anchor component={Link} href={factoryPath(factory, 'webhooks')} underline="always">
            Webhooks
          </Anchor>
          .
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && <AutomationEditor before={null} webhooks={data} />}
    </>
  );
}
