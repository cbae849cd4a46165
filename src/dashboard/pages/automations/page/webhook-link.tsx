import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Webhook } from '../../../../client/api-types.ts';
import { CodeText } from '../../../parts/text/code-text.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { objectPath } from '../../../paths.ts';

/** The name of a webhook as a link; the UID of one that does not exist. */
export function WebhookLink({
  uid,
  webhooks,
  factory,
}: {
  uid: string;
  webhooks: readonly Webhook[];
  factory: string;
}) {
  const webhook = webhooks.find((one) => one.uid === uid);
  if (webhook === undefined) return <CodeText text={uid} />;
  return (
    <Anchor component={Link} href={objectPath(factory, 'webhooks', uid)} underline="always">
      <UntrustedText text={webhook.name} />
    </Anchor>
  );
}
