import type { Delivery } from '../../../client/api-types.ts';
import { isTickSource } from '../../../domain/words/deliveries.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';

/** Link to the webhook that received a delivery. A tick of a schedule has no webhook with a page. */
export function DeliverySource({ delivery }: { delivery: Delivery }) {
  const { factory, webhook_uid, webhook_name } = delivery;
  if (isTickSource(webhook_name)) return <span style={{ whiteSpace: 'nowrap' }}>Schedule</span>;
  return (
    <ObjectLink factory={factory} kind="webhooks" id={webhook_uid}>
      <UntrustedText text={webhook_name} />
    </ObjectLink>
  );
}
