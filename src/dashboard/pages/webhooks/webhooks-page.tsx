import { Anchor, Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { activityQuery } from '../../api/activity.ts';
import { signatureSchemesQuery, webhooksQuery } from '../../api/queries.ts';
import type { Activity, Factory, SignatureScheme, Webhook } from '../../api/types.ts';
import { type DataColumn, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { ForeignText } from '../../parts/foreign-text.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeText } from '../../parts/time-text.tsx';
import { useHeldUpdates } from '../../parts/use-held-updates.ts';
import { useFactory } from '../../shell/current-factory.ts';
import { useMay } from '../../shell/session-user.ts';
import { awaitsSecret, buildWebhookPath, nameAuthentication } from './webhook-names.ts';

const ACTIVITY_HOURS = 24;

/** Where senders post to. */
export function WebhooksPage() {
  const factory = useFactory();
  const query = webhooksQuery(factory.name);
  const { data, error, refetch } = useQuery(query);
  const { data: schemes } = useQuery(signatureSchemesQuery);
  const { data: activity } = useQuery(activityQuery(factory.name, ACTIVITY_HOURS));
  const held = useHeldUpdates(query.queryKey, (event) => event.data.factory === factory.name);
  const add = useAddButton(factory);
  return (
    <>
      <PageHeader title="Webhooks" lead="Each has a URL that an outside system posts JSON to." actions={add} />
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Webhooks"
          columns={buildColumns(schemes, activity)}
          rows={data}
          rowKey={({ uid }) => uid}
          held={held}
          empty={<NoWebhooks factory={factory} add={add} />}
        />
      )}
    </>
  );
}

/** There only for who may add one here. */
function useAddButton({ name, source }: Factory) {
  const isHosted = source !== null && source.type !== 'repository';
  const may = useMay('manager') && isHosted;
  if (!may) return undefined;
  return (
    <Button
      component={Link}
      href={`/factories/${encodeURIComponent(name)}/webhooks/new`}
      leftSection={<Plus size={16} aria-hidden />}
    >
      Add webhook
    </Button>
  );
}

function NoWebhooks({ factory, add }: { factory: Factory; add: ReactNode }) {
  return (
    <EmptyState icon={WebhookIcon} title="No webhook yet" action={add}>
      {factory.source?.type === 'repository' ? (
        <>
          The repository of this factory decides. Add a file <Code>webhooks/&lt;name&gt;.yaml</Code> with{' '}
          <Code>secretName:</Code> to its branch <Code>{factory.source.branch ?? 'main'}</Code>; the webhook is live as
          soon as the commit applies.
        </>
      ) : (
        'A webhook gives an outside system a URL to post JSON to. Automations that listen to it then start runs.'
      )}
    </EmptyState>
  );
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
      header: 'Last delivery',
      render: ({ last_delivery_at: at }) =>
        at === null ? (
          <Text size="sm" c="dimmed">
            never
          </Text>
        ) : (
          <TimeText at={at} />
        ),
    },
  ];
}

/** Webhooks that received nothing are not listed. */
function countsOf({ buckets, webhooks }: Activity, uid: string): readonly number[] {
  return webhooks.find(({ webhook_uid }) => webhook_uid === uid)?.deliveries ?? buckets.map(() => 0);
}

function WebhookName({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <Anchor component={Link} href={buildWebhookPath(webhook)} fw={600} size="sm">
        <ForeignText text={webhook.name} />
      </Anchor>
      {webhook.description !== null && (
        <Text size="xs" c="dimmed" lineClamp={1}>
          <ForeignText text={webhook.description} />
        </Text>
      )}
    </>
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, secret_state } = webhook;
  return (
    <Group gap={6}>
      <StatusBadge state={enabled ? 'enabled' : 'disabled'} />
      {awaitsSecret(webhook) ? (
        <StatusBadge state="outdated" label="waits for its secret" />
      ) : (
        secret_state !== 'current' && <StatusBadge state={secret_state} label={`secret ${secret_state}`} />
      )}
    </Group>
  );
}
