import { Stack, Text } from '@mantine/core';
import type { Webhook } from '../../../client/api-types.ts';
import { countOf } from '../../../domain/words/quantities.ts';
import { describeAcceptance } from '../../../domain/words/recent-activity.ts';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';

type Traffic = Webhook['traffic'];

/** When the webhook last accepted a delivery, and since when a credential fails, for tables. */
export function TrafficCell({ traffic }: { traffic: Traffic }) {
  return (
    <Stack gap={2}>
      <LastAccepted traffic={traffic} />
      <FailingText traffic={traffic} />
      <RejectionsText traffic={traffic} />
    </Stack>
  );
}

/** The same with the acceptance of the last 24 hours, for the page of the webhook. */
export function TrafficCard({ webhook: { traffic } }: { webhook: Webhook }) {
  return (
    <SectionCard title="Requests">
      <FactList
        facts={[
          ['Last accepted', <LastAccepted key="accepted" traffic={traffic} isFocusable />],
          ['Last 24 hours', describeAcceptance(traffic)],
          ['Credential', traffic.credential_failing && <FailingText key="failing" traffic={traffic} isFocusable />],
          ['Rejections', traffic.rejections && <RejectionsText key="rejections" traffic={traffic} isFocusable />],
        ]}
      />
    </SectionCard>
  );
}

interface TextProps {
  traffic: Traffic;
  isFocusable?: boolean;
}

function LastAccepted({ traffic: { last_accepted_at: at }, isFocusable = false }: TextProps) {
  if (at !== null) return <TimeText at={at} isFocusable={isFocusable} />;
  return (
    <Text size="sm" c="dimmed" component="span">
      never
    </Text>
  );
}

function FailingText({ traffic: { credential_failing: failing }, isFocusable = false }: TextProps) {
  if (failing === null) return null;
  const { count, since, reason_text } = failing;
  return (
    <Text size="sm" c="var(--mantine-color-error)" component="div">
      {count} rejected since <TimeText at={since} isFocusable={isFocusable} />
      {reason_text !== null && (
        <>
          : <UntrustedText text={reason_text} />
        </>
      )}
    </Text>
  );
}

/** Rejected requests and their senders. Other senders of the webhook may get through. */
function RejectionsText({ traffic, isFocusable = false }: TextProps) {
  const { rejections, credential_failing: failing, last_24_hours: day } = traffic;
  if (rejections === null) return null;
  const { count, examined, since, reason_text, addresses, other_addresses: others } = rejections;
  const all = countOf(day.accepted + day.duplicate + day.rejected, 'request');
  return (
    <Text size="sm" c="var(--mantine-color-error)" component="div">
      {count} of {all} rejected, {examined < count && `the last ${examined} `}since{' '}
      <TimeText at={since} isFocusable={isFocusable} />, from <UntrustedText text={addresses.join(', ')} />
      {others > 0 && ` and ${countOf(others, 'other address', 'other addresses')}`}
      {failing === null && reason_text !== null && (
        <>
          : <UntrustedText text={reason_text} />
        </>
      )}
    </Text>
  );
}
