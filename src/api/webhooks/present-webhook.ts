import { findDeliveryIdPath } from '../../definitions/signature/schemes/delivery-id-path.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { isBodySecondKey } from '../../definitions/signature/schemes/retries.ts';
import { listIdentities } from '../../definitions/signature/schemes/schemes.ts';
import type { CaptureControl, CaptureState } from '../../domain/ports/delivery-control.ts';
import { SECRET_STATES, type SecretState, type WebhookView } from '../../domain/ports/inventory.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { findOverlapEnd } from '../../domain/secrets/rotation-overlap.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { type FactorySource, presentFile } from '../factories/factory-source.ts';
import { presentCommit } from '../reconciliations/present-commit.ts';
import { presentInstant } from '../server/instants.ts';
import type { CountRequests } from './count-requests.ts';
import { presentTraffic } from './present-traffic.ts';

/**
 * What can tell one delivery of a webhook from another before its body does (decisions, "Identity", last bullet).
 * `service header or body`: unless the sender sets `X-Service-Delivery-Id`, identical bodies count as duplicates. `body`: identical
 * bodies always do (`isBodySecondKey`).
 */
type IdentifiedBy = 'header' | 'payload' | 'provider' | 'service header or body' | 'body';

/** What a view of a webhook needs in addition to its row. */
export interface WebhookSurroundings {
  baseUrl(): string;
  captures: Pick<CaptureControl, 'state'>;
  findSource(factory: string): Pick<FactorySource, 'type'> | null;
  countRequests: CountRequests;
}

type Requests = Awaited<ReturnType<CountRequests>>;

/**
 * A webhook as the interfaces show it. The URL of a `url_token` webhook holds the literal `{token}`.
 *
 * @param requests those of all webhooks of its factory
 */
export function presentWebhook(
  webhook: WebhookView,
  requests: Requests,
  surroundings: Omit<WebhookSurroundings, 'countRequests'>,
) {
  const traffic = presentTraffic(webhook.traffic, requests.get(webhook.uid));
  const url = `${surroundings.baseUrl()}/webhooks/w/${webhook.uid}`;
  return {
    ...presentFields(WEBHOOK_FIELDS, webhook),
    file: presentFile(webhook, surroundings.findSource),
    ingress_url: webhook.authMode === 'url_token' ? `${url}/{token}` : url,
    served: webhook.enabled && webhook.deletedAt === null && surroundings.findSource(webhook.factory) !== null,
    identified_by: identifyBy(webhook),
    secret_state: findWorst(webhook.secretState, webhook.verifyTokenSecretState ?? 'current'),
    credential_state: webhook.secretState,
    previous_secret_until: presentInstant(findOverlapEnd(webhook)),
    verify_token_state: webhook.verifyTokenSecretState,
    commit: presentCommit(webhook.commit),
    last_delivery_at: traffic.last_accepted_at,
    traffic,
    capture: presentCapture(surroundings.captures.state(webhook.uid)),
  };
}

function findWorst(one: SecretState, other: SecretState): SecretState {
  return SECRET_STATES.indexOf(one) < SECRET_STATES.indexOf(other) ? other : one;
}

/** An open capture window; `null` if none is open. */
export function presentCapture(state: CaptureState | null) {
  return state && { until: formatInstant(state.until), kept: state.kept };
}

function identifyBy(webhook: WebhookView): IdentifiedBy {
  const { deliveryIdHeader, signatureScheme, signature } = webhook;
  if (deliveryIdHeader !== null) return 'header';
  if (findDeliveryIdPath(webhook) !== null) return 'payload';
  const scheme = signatureScheme === null ? null : resolveScheme(signatureScheme, signature);
  if (scheme === null) return 'service header or body';
  if (listIdentities(scheme).length > 0) return 'provider';
  return isBodySecondKey(scheme) ? 'body' : 'service header or body';
}
