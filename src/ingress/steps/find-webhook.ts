import type { IngressContext } from '../ingress-context.ts';
import { type IngressRequest, Reception } from '../reception.ts';
import type { IngressAnswer } from '../transport/answers.ts';
import * as answers from '../transport/answers.ts';
import { rejectUnlogged } from './reject.ts';

/** The parts of a webhook path. */
export interface WebhookPath {
  uid: string;
  /** The credential segment; `null` if the path has none. */
  token: string | null;
}

const PREFIX = '/webhooks/w/';

/** Steps 1 to 3. Unknown, disabled and deleted webhooks get the same response. */
export function findWebhook(context: IngressContext, request: IngressRequest): Reception | IngressAnswer {
  const path = parseWebhookPath(request.target.path);
  if (path === null) return rejectUnlogged(context, 'not_found', answers.NOT_FOUND);
  const webhook = context.registry.current().webhooks.get(path.uid);
  if (webhook === undefined || (path.token !== null && webhook.credential.mode !== 'url_token')) {
    return request.method === 'POST'
      ? rejectUnlogged(context, 'not_found', answers.NOT_FOUND)
      : rejectUnlogged(context, 'method_not_allowed', answers.METHOD_NOT_ALLOWED);
  }
  return new Reception({ request, webhook, urlToken: path.token, baseUrl: context.baseUrl(), clock: context.clock });
}

/** Parses `/webhooks/w/<uid>` and `/webhooks/w/<uid>/<token>`; `null` for any other path. */
export function parseWebhookPath(path: string): WebhookPath | null {
  if (!path.startsWith(PREFIX)) return null;
  const segments = path.slice(PREFIX.length).split('/');
  const [uid, token] = segments;
  if (segments.length > 2 || !uid || token === '') return null;
  return { uid, token: token ?? null };
}
