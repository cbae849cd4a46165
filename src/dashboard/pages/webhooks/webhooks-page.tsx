import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Activity, Delivery, SignatureScheme, Webhook } from '../../../client/api-types.ts';
import { signatureSchemesQuery, webhooksQuery } from '../../api/queries.ts';
import { Sparkline } from '../../parts/chart/sparkline.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { RENDER_PAUSES } from '../../parts/live/use-coalesced.ts';
import { useHeldUpdates } from '../../parts/live/use-held-updates.ts';
import { useLiveActivity } from '../../parts/live/use-live-activity.ts';
import type { ReceivedEvent } from '../../parts/live/use-live-events.ts';
import { useLiveParts } from '../../parts/live/use-live-parts.ts';
import { type DataColumn, DataTable } from '../../parts/table/data-table.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { objectPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { DeletedWebhooks } from './deleted-webhooks.tsx';
import { AddWebhookButton, HowToCommit, NoWebhooks, useMayEditWebhooks } from './no-webhooks.tsx';
import { noteTraffic } from './note-traffic.ts';
import { TrafficCell } from './traffic-text.tsx';
import { awaitsSecret, nameAuthentication } from './webhook-names.ts';

const ACTIVITY_HOURS = 24;

/** Lists the webhooks of a factory. */
export function WebhooksPage() {
  const factory = useFactory();
  const query = webhooksQuery(factory.name);
  const { data, error, refetch } = useQuery(query);
  const { data: schemes } = useQuery(signatureSchemesQuery);
  const { data: activity } = useLiveActivity(factory.name, ACTIVITY_HOURS);
  useLiveTraffic(factory.name);
  const isApply = ({ type, data: event }: ReceivedEvent) => type === 'reconciliation' && event.factory === factory.name;
  const held = useHeldUpdates(query.queryKey, isApply);
  const mayAdd = useMayEditWebhooks(factory);
  const isManagedInGit = factory.source?.type === 'repository' && data !== undefined && data.length > 0;
  return (
    <>
      <PageHeader
        title="Webhooks"
        lead="Endpoints that external systems send JSON to."
        actions={mayAdd ? <AddWebhookButton factory={factory.name} /> : undefined}
      />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Webhooks"
          columns={buildColumns(schemes, activity)}
          rows={data}
          rowKey={({ uid }) => uid}
          held={held}
          empty={<NoWebhooks factory={factory} />}
        />
      )}
      {isManagedInGit && (
        <Text size="sm" c="dimmed" my="md">
          Webhooks are defined in this factory’s repository. <HowToCommit factory={factory} />
        </Text>
      )}
      <DeletedWebhooks factory={factory.name} />
    </>
  );
}

/** Takes the last accepted delivery and failed credentials of each webhook from live events. */
function useLiveTraffic(factory: string): void {
  useLiveParts<Webhook[], Delivery>({
    queryKey: webhooksQuery(factory).queryKey,
    pauses: RENDER_PAUSES,
    partOf: ({ type, data }) => (type === 'delivery' && data.factory === factory ? data : null),
    changeOf: (deliveries) => (webhooks) => noteTraffic(webhooks, deliveries),
  });
}

function buildColumns(
  schemes: readonly SignatureScheme[] | undefined,
  activity: Activity | undefined,
): DataColumn<Webhook>[] {
  return [
    { header: 'Name', render: (webhook) => <WebhookName webhook={webhook} /> },
    { header: 'Authentication', render: (webhook) => nameAuthentication(webhook, schemes) },
    { header: 'State', render: (webhook) => <WebhookState webhook={webhook} /> },
    {
      header: 'Last 24 hours',
      render: ({ uid }) =>
        activity !== undefined && (
          <Sparkline counts={countsOf(activity, uid)} what={`deliveries in ${ACTIVITY_HOURS} hours`} />
        ),
    },
    {
      header: 'Last accepted',
      render: ({ traffic }) => <TrafficCell traffic={traffic} />,
    },
  ];
}

/** Webhooks without deliveries are not in the activity. */
function countsOf({ buckets, webhooks }: Activity, uid: string): readonly number[] {
  return webhooks.find(({ webhook_uid }) => webhook_uid === uid)?.deliveries ?? buckets.map(() => 0);
}

function WebhookName({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <Anchor component={Link} href={objectPath(webhook.factory, 'webhooks', webhook.uid)} fw={600} size="sm">
        <UntrustedText text={webhook.name} />
      </Anchor>
      {webhook.description !== null && (
        <Text size="xs" c="dimmed" lineClamp={1}>
          <UntrustedText text={webhook.description} />
        </Text>
      )}
    </>
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, served, secret_state } = webhook;
  return (
    <Group gap={6}>
      {enabled && !served ? (
        <StatusBadge state="failed" label="Not served" />
      ) : (
        <StatusBadge state={enabled ? 'enabled' : 'disabled'} />
      )}
      {awaitsSecret(webhook) ? (
        <StatusBadge state="outdated" label="Waiting for secret" />
      ) : (
        secret_state !== 'current' && <StatusBadge state={secret_state} label={`secret ${secret_state}`} />
      )}
    </Group>
  );
}
