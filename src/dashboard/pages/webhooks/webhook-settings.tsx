import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Factory, Webhook } from '../../../client/api-types.ts';
import { describeEventPlace, NOT_DEDUPLICATED_WORDS } from '../../../domain/words/deliveries.ts';
import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import { automationsQuery } from '../../api/automations.ts';
import { signatureSchemesQuery } from '../../api/queries.ts';
import { CopyLine } from '../../parts/copy/copy-line.tsx';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { CommitText } from '../../parts/text/commit-text.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { formatNames } from './provider/name-lines.ts';
import { nameAuthentication } from './webhook-names.ts';

/** Settings of a webhook, and the automations that it can start. */
export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const { data: schemes } = useQuery(signatureSchemesQuery);
  const ofScheme = schemes?.find(({ name }) => name === webhook.signature_scheme)?.identities.join(', ');
  const deliveryId = {
    header: webhook.delivery_id_header,
    payload: webhook.delivery_id_path === null ? ofScheme : `${webhook.delivery_id_path} of the payload`,
    provider: ofScheme,
    'service header or body': 'X-Service-Delivery-Id, otherwise hash of the body',
    body: 'hash of the body',
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
          ['Previous secret', <OverlapText key="overlap" webhook={webhook} />],
          ['Verify token', webhook.verify_token_secret_name],
          ['Body format', webhook.body_format === 'form' ? 'Form' : null],
          ['Form field', webhook.form_field],
          ['Delivery ID', deliveryId],
          ['Duplicates', webhook.deduplicate ? null : NOT_DEDUPLICATED_WORDS],
          ['Event name', webhook.event && describeEventPlace(webhook.event)],
          ['Recorded headers', webhook.record_headers.join(', ') || null],
          ['Expected every', webhook.expect_every],
          ['Serves', nameServed(webhook)],
          [
            'Ignored actors',
            webhook.ignore_actors.length === 0 ? null : (
              <UntrustedText key="actors" text={webhook.ignore_actors.join(', ')} />
            ),
          ],
          ['Bot username', webhook.bot_username],
          ...listNames(webhook),
          ['Automations', <UsingAutomations key="automations" webhook={webhook} />],
          ['UID', <code key="uid">{webhook.uid}</code>],
          ['Created', <TimeText key="created" at={webhook.created_at} />],
          ['Updated', <TimeText key="updated" at={webhook.updated_at} />],
          [
            webhook.deleted_at === null ? 'Last commit' : 'Deleted by',
            webhook.commit === null ? null : <CommitText key="commit" commit={webhook.commit} />,
          ],
        ]}
      />
    </SectionCard>
  );
}

/** The provider that the file names; `null` if the scheme decides. */
function nameServed({ serves }: Webhook): string | null {
  if (serves === null) return null;
  return serves === 'none' ? 'No provider' : PROVIDER_TITLES[serves];
}

const NAME_KINDS = [
  ['channels', 'Channel names'],
  ['users', 'User names'],
  ['teams', 'Team IDs'],
] as const;

function listNames({ names }: Webhook): [name: string, value: ReactNode][] {
  return NAME_KINDS.map(([kind, label]) => {
    const text = formatNames(names?.[kind]);
    return [label, text === '' ? null : <UntrustedText key={kind} text={text.replaceAll('\n', ', ')} />];
  });
}

/** Whether the previous version of the secret is accepted. */
function OverlapText({ webhook: { rotation_overlap: overlap, previous_secret_until: until } }: { webhook: Webhook }) {
  if (until !== null && Date.parse(until) > Date.now()) {
    return (
      <>
        Accepted until <TimeText at={until} />
      </>
    );
  }
  return Number.parseInt(overlap, 10) === 0 ? 'Rejected' : `Accepted for ${overlap} after a rotation`;
}

/** The automations that a delivery to the webhook can start. */
function UsingAutomations({ webhook: { factory, uid } }: { webhook: Webhook }) {
  const { data } = useQuery(automationsQuery(factory));
  if (data === undefined) return null;
  const automations = data.filter(({ triggers }) => triggers.some(({ listens_to }) => listens_to.includes(uid)));
  if (automations.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No automation uses this webhook yet
      </Text>
    );
  }
  return automations.map(({ name, enabled }, i) => (
    <span key={name}>
      {i > 0 && ', '}
      <ObjectLink factory={factory} kind="automations" id={name}>
        <UntrustedText text={name} />
      </ObjectLink>
      {!enabled && ' (disabled)'}
    </span>
  ));
}

/** Where the webhook is defined, and how to change it. */
export function SourceNote({ webhook, source }: { webhook: Webhook; source: Factory['source'] }) {
  if (source?.type === 'live' || webhook.file === null) return null;
  return (
    <SectionCard title="Definition">
      <Text size="sm" c="dimmed" mb="xs">
        {source?.type === 'repository'
          ? 'Managed in Git. Change the file in the repository. The change is live when the commit is applied.'
          : 'Managed by Dockbell. Each change on this page is a commit.'}
      </Text>
      <FactList
        facts={[
          ['File', <CopyLine key="file" value={`${webhook.file}:1`} what="file location" />],
          ['Repository', source?.url == null ? null : <UntrustedText key="url" text={source.url} />],
          ['Branch', source?.branch ?? null],
          ['Applied commit', <RevisionText key="revision" revision={webhook.revision} />],
        ]}
      />
    </SectionCard>
  );
}
