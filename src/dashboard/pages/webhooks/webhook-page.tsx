import { Alert, Grid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fingerprint, Hourglass, KeyRound, PowerOff } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import { buildSendingCommand } from '../../../words/sending-commands.ts';
import { signatureSchemesQuery, webhookQuery } from '../../api/queries.ts';
import type { Factory, NewWebhook, Webhook } from '../../api/types.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { CopyLine } from '../../parts/copy/copy-line.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { useFactory } from '../../shell/context/current-factory.ts';
import { WebhookActions } from './actions/webhook-actions.tsx';
import { CaptureWindow } from './capture-window.tsx';
import { FinishSetup } from './finish-setup.tsx';
import { Listeners } from './listeners.tsx';
import { useMayEditWebhooks } from './no-webhooks.tsx';
import { OneTimePane } from './one-time-pane.tsx';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { RecentHandshakes } from './recent-handshakes.tsx';
import { SourceNote } from './source-note.tsx';
import { awaitsSecret, nameAuthentication } from './webhook-names.ts';

/** One webhook: how to send to it, what it is, what came in. */
export function WebhookPage() {
  const factory = useFactory();
  const { uid = '' } = useParams();
  const { data, error, refetch } = useQuery(webhookQuery(factory.name, uid));
  const [rotated, setRotated] = useState<NewWebhook | null>(null);
  const trail = [{ label: 'Webhooks', href: `/factories/${encodeURIComponent(factory.name)}/webhooks` }];
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
        lead={webhook.description === null ? undefined : <ForeignText text={webhook.description} />}
        status={<StatusBadge state={stateOf(webhook)} />}
        actions={<WebhookActions tagged={data} source={factory.source} onRotated={setRotated} />}
      />
      <Stack>
        {rotated !== null && (
          <OneTimePane webhook={rotated} title="The secret is rotated" onDone={() => setRotated(null)} />
        )}
        {awaitsSecret(webhook) && <AwaitedSecret webhook={webhook} factory={factory} />}
        <Warnings webhook={webhook} />
        <Grid>
          {webhook.deleted_at === null && (
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <HowToSend webhook={webhook} />
            </Grid.Col>
          )}
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Settings webhook={webhook} />
          </Grid.Col>
        </Grid>
        <RecentDeliveries webhook={webhook} />
        <RecentHandshakes webhook={webhook} />
        <CaptureWindow webhook={webhook} />
        <SourceNote webhook={webhook} source={factory.source} />
      </Stack>
    </>
  );
}

function stateOf({ enabled, deleted_at }: Webhook): string {
  if (deleted_at !== null) return 'deleted';
  return enabled ? 'enabled' : 'disabled';
}

/** The second step, for those who may take it. */
function AwaitedSecret({ webhook, factory }: { webhook: Webhook; factory: Factory }) {
  const mayEdit = useMayEditWebhooks(factory);
  if (mayEdit) return <FinishSetup webhook={webhook} onFinished={() => undefined} />;
  return (
    <Alert color="orange" icon={<Hourglass />} title="It waits for its secret">
      The webhook is disabled, and senders get 404.{' '}
      {factory.source?.type === 'repository'
        ? `Create the team secret ${webhook.secret_name}, then enable it in the repository.`
        : 'A manager can finish its setup here.'}
    </Alert>
  );
}

function Warnings({ webhook }: { webhook: Webhook }) {
  const { enabled, deleted_at, secret_state, secret_name, identified_by } = webhook;
  return (
    <>
      {deleted_at !== null && (
        <Alert color="gray" icon={<PowerOff />} title="Deleted">
          Senders get 404. The log of its deliveries stays until retention ends it.
        </Alert>
      )}
      {!enabled && deleted_at === null && !awaitsSecret(webhook) && (
        <Alert color="gray" icon={<PowerOff />} title="Disabled">
          Senders get 404, as if the URL did not exist. Automations and the delivery log are untouched.
        </Alert>
      )}
      {secret_state === 'outdated' && (
        <Alert color="orange" icon={<KeyRound />} title="A newer value of its secret is stored">
          The webhook keeps the value of its last apply, and takes {secret_name} up with the next change that applies.
        </Alert>
      )}
      {secret_state === 'missing' && !awaitsSecret(webhook) && (
        <Alert color="red" icon={<KeyRound />} title="Its secret does not exist any more">
          The webhook keeps the value of its last apply. The next apply fails until {secret_name} is there again.
        </Alert>
      )}
      {identified_by === 'service header or body' && deleted_at === null && (
        <Alert color="blue" icon={<Fingerprint />} title="Identical bodies count as duplicates">
          Two deliveries with equal bodies count as one, and the second is a duplicate that starts nothing, unless the
          sender sets X-Service-Delivery-Id. A delivery ID header gives each its own identity.
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
            <code>{'{token}'}</code> stands for the value of {webhook.secret_name}, which is shown only once.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {isSigned
            ? 'The provider signs each request. To try the webhook without it:'
            : `With the value of ${webhook.secret_name} in the shell:`}
        </Text>
        <CodeBlock code={buildSendingCommand(webhook, null)} what="command" />
      </Stack>
    </SectionCard>
  );
}

function Settings({ webhook }: { webhook: Webhook }) {
  const { data: schemes } = useQuery(signatureSchemesQuery);
  const deliveryId = {
    header: webhook.delivery_id_header,
    provider: schemes?.find(({ name }) => name === webhook.signature_scheme)?.identities.join(', '),
    'service header or body': 'X-Service-Delivery-Id, otherwise hash of the body',
  }[webhook.identified_by];
  return (
    <SectionCard title="Settings">
      <FactList
        facts={[
          ['Authentication', nameAuthentication(webhook, schemes)],
          [
            'Secret',
            <>
              {webhook.secret_name} <StatusBadge state={webhook.credential_state} />
            </>,
          ],
          ['Verify token', webhook.verify_token_secret_name],
          ['Delivery ID', deliveryId],
          ['Automations', <Listeners key="automations" webhook={webhook} />],
          ['UID', <code key="uid">{webhook.uid}</code>],
          ['Created', <TimeText key="created" at={webhook.created_at} />],
          ['Changed', <TimeText key="changed" at={webhook.updated_at} />],
        ]}
      />
    </SectionCard>
  );
}
