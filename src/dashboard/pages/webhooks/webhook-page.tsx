import { Alert, Grid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fingerprint, Hourglass, KeyRound, PowerOff } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import type { Factory, NewWebhook, Webhook } from '../../../client/api-types.ts';
import { buildSendingCommand } from '../../../domain/words/sending-commands.ts';
import { readWebhook, type TaggedWebhook, webhookQuery } from '../../api/queries.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { CopyLine } from '../../parts/copy/copy-line.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { COUNT_PAUSES } from '../../parts/live/use-coalesced.ts';
import { useLiveParts } from '../../parts/live/use-live-parts.ts';
import { StoryPanel } from '../../parts/story/story-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { WebhookActions } from './actions/webhook-actions.tsx';
import { CaptureWindow } from './capture-window.tsx';
import { FinishSetup } from './finish-setup.tsx';
import { useMayEditWebhooks } from './no-webhooks.tsx';
import { OneTimePane } from './one-time-pane.tsx';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { RecentHandshakes } from './recent-handshakes.tsx';
import { TrafficCard } from './traffic-text.tsx';
import { UnloggedRequestsCard } from './unlogged-requests.tsx';
import { awaitsSecret } from './webhook-names.ts';
import { SourceNote, WebhookSettings } from './webhook-settings.tsx';

/** One webhook: how to send to it, its settings and recent deliveries. */
export function WebhookPage() {
  const factory = useFactory();
  const { uid = '' } = useParams();
  const { data, error, refetch } = useQuery(webhookQuery(factory.name, uid));
  useLiveTraffic(factory.name, uid);
  const [rotated, setRotated] = useState<NewWebhook | null>(null);
  const trail = [{ label: 'Webhooks', href: factoryPath(factory.name, 'webhooks') }];
  if (error !== null) {
    return (
      <>
        <PageHeader title="Webhook" trail={trail} />
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (data === undefined) return <PageHeader title="Webhook" trail={trail} />;
  const { webhook } = data;
  return (
    <>
      <PageHeader
        title={webhook.name}
        trail={trail}
        lead={webhook.description === null ? undefined : <UntrustedText text={webhook.description} />}
        status={<StatusBadge state={stateOf(webhook)} />}
        actions={<WebhookActions tagged={data} source={factory.source} onRotated={setRotated} />}
      />
      <Stack>
        {rotated !== null && <OneTimePane webhook={rotated} title="Secret rotated" onDone={() => setRotated(null)} />}
        {awaitsSecret(webhook) && <AwaitedSecret webhook={webhook} factory={factory} />}
        <StoryPanel factory={webhook.factory} reference={webhook.uid} watched={[webhook.uid]} />
        <Warnings webhook={webhook} />
        <Grid>
          {webhook.deleted_at === null && (
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <HowToSend webhook={webhook} />
            </Grid.Col>
          )}
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Stack>
              <TrafficCard webhook={webhook} />
              <WebhookSettings webhook={webhook} />
            </Stack>
          </Grid.Col>
        </Grid>
        <RecentDeliveries webhook={webhook} />
        <UnloggedRequestsCard webhook={webhook} />
        <RecentHandshakes webhook={webhook} />
        <CaptureWindow webhook={webhook} />
        <SourceNote webhook={webhook} source={factory.source} />
      </Stack>
    </>
  );
}

/** Reads the webhook again after its deliveries. */
function useLiveTraffic(factory: string, uid: string): void {
  useLiveParts<TaggedWebhook, true>({
    queryKey: webhookQuery(factory, uid).queryKey,
    pauses: COUNT_PAUSES,
    partOf: ({ type, data }) => (type === 'delivery' && data.webhook_uid === uid ? true : null),
    changeOf: async () => {
      const read = await readWebhook(factory, uid);
      return () => read;
    },
  });
}

function stateOf({ enabled, deleted_at }: Webhook): string {
  if (deleted_at !== null) return 'deleted';
  return enabled ? 'enabled' : 'disabled';
}

/** The second setup step, or an explanation if the user cannot finish it. */
function AwaitedSecret({ webhook, factory }: { webhook: Webhook; factory: Factory }) {
  const mayEdit = useMayEditWebhooks(factory);
  if (mayEdit) return <FinishSetup webhook={webhook} onFinished={() => undefined} />;
  return (
    <Alert color="orange" icon={<Hourglass />} title="Waiting for the secret">
      The webhook is disabled, and senders get 404.{' '}
      {factory.source?.type === 'repository'
        ? `Create the team secret ${webhook.secret_name}, then enable the webhook in the repository.`
        : 'A manager can finish the setup here.'}
    </Alert>
  );
}

function Warnings({ webhook }: { webhook: Webhook }) {
  const { enabled, deleted_at, secret_state, secret_name, identified_by, deduplicate } = webhook;
  return (
    <>
      {deleted_at !== null && (
        <Alert color="gray" icon={<PowerOff />} title="Deleted">
          Senders get 404. The delivery log is kept until retention removes it.
        </Alert>
      )}
      {!enabled && deleted_at === null && !awaitsSecret(webhook) && (
        <Alert color="gray" icon={<PowerOff />} title="Disabled">
          Senders get 404, as if the URL did not exist. Automations and the delivery log are not affected.
        </Alert>
      )}
      {secret_state === 'outdated' && (
        <Alert color="orange" icon={<KeyRound />} title="A newer version of the secret is stored">
          The webhook uses the version of its last apply. It switches to the latest version of {secret_name} with the
          next\n applied change.
        </Alert>
      )}
      {secret_state === 'missing' && !awaitsSecret(webhook) && (
        <Alert color="red" icon={<KeyRound />} title="The secret was deleted">
          The webhook uses the value of its last apply. The next apply fails until {secret_name} exists again.
        </Alert>
      )}
      {deduplicate && identified_by === 'service header or body' && deleted_at === null && (
        <Alert color="blue" icon={<Fingerprint />} title="Identical bodies count as duplicates">
          If two deliveries have the same body, the second one is a duplicate and starts no runs, unless the sender sets
          X-Service-Delivery-Id. Set a delivery ID header or path to tell such deliveries apart.
        </Alert>
      )}
      {deduplicate && identified_by === 'body' && deleted_at === null && (
        <Alert color="blue" icon={<Fingerprint />} title="Identical bodies are duplicates">
          If two deliveries have the same body, the second one is a duplicate and starts no runs, also if their IDs
          differ: no signed part of a request identifies it.
        </Alert>
      )}
    </>
  );
}

function HowToSend({ webhook }: { webhook: Webhook }) {
  const isSigned = webhook.auth_mode === 'signature';
  return (
    <SectionCard title="How to send">
      <Stack gap="sm">
        <CopyLine value={webhook.ingress_url} what="ingress URL" />
        {webhook.auth_mode === 'url_token' && (
          <Text size="sm" c="dimmed">
            Replace <code>{'{token}'}</code> with the value of {webhook.secret_name}, which was shown only once.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {isSigned
            ? 'The provider signs each request. To test the webhook without the provider:'
            : `Set ${webhook.secret_name} in the shell, then run:`}
        </Text>
        <CodeBlock code={buildSendingCommand(webhook, null)} what="command" wraps />
      </Stack>
    </SectionCard>
  );
}
