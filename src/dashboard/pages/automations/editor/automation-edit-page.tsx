import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { automationQuery } from '../../../api/automations.ts';
import { webhooksQuery } from '../../../api/queries.ts';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../../parts/layout/page-header.tsx';
import { factoryPath, objectPath } from '../../../paths.ts';
import { useFactorySource } from '../use-factory-source.ts';
import { AutomationEditor } from './automation-editor.tsx';

/** Edits an automation, or tests changes without saving if the user cannot edit it here. */
export function AutomationEditPage() {
  const { factory, mayEdit } = useFactorySource();
  const name = decodeURIComponent(useParams<{ name: string }>().name);
  const { data, error, refetch, isFetchedAfterMount } = useQuery(automationQuery(factory, name));
  const webhooks = useQuery(webhooksQuery(factory));
  // The editor copies its initial values. With an outdated list it would drop webhooks that were added since.
  const isRead = isFetchedAfterMount && webhooks.isFetchedAfterMount;
  return (
    <>
      <PageHeader
        title={mayEdit ? `Edit ${name}` : `Try changes to ${name}`}
        trail={[
          { label: 'Automations', href: factoryPath(factory, 'automations') },
          { label: name, href: objectPath(factory, 'automations', name) },
        ]}
      />
      {error !== null && data === undefined && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {webhooks.error !== null && <ErrorPanel error={webhooks.error} />}
      {!isRead || data === undefined || webhooks.data === undefined ? (
        <Skeleton height={320} />
      ) : (
        <AutomationEditor before={data} webhooks={webhooks.data} />
      )}
    </>
  );
}
