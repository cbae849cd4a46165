import type { Delivery } from '../../../client/api-types.ts';
import { TICK_SOURCE_NAME } from '../../../words/tick-source.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';

/** Is the delivery a tick of a schedule? Then no webhook received it. */
export function isTick({ webhook_name }: Pick<Delivery, 'webhook_name'>): boolean {
  return webhook_name === TICK_SOURCE_NAME;
}

/** Link to the webhook that received a delivery. A tick of a schedule has no webhook with a page. */
export function DeliverySource({ delivery }: { delivery: Delivery }) {
  const { factory, webhook_uid, webhook_name } = delivery;
  if (isTick(delivery)) return <span style={{ whiteSpace: 'nowrap' }}>Schedule</span>;
  return (
    <ObjectLink factory={factory} kind="webhooks" id={webhook_uid}>
      <UntrustedText text={webhook_name} />
    </ObjectLink>
  );
}
