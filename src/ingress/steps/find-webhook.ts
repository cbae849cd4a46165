import type { IngressContext } from '../ingress-context.ts';
import { type IngressRequest, Reception } from '../reception.ts';
import type { IngressAnswer } from '../transport/answers.ts';
import * as answers from '../transport/answers.ts';

/** The parts of a webhook path. */
interface WebhookPath {
  uid: string;
  /** The credential segment; `null` if the path has none. */
  token: string | null;
}

const PREFIX = '/webhooks/w/';

/** Finds the webhook of the path. Unknown, disabled and deleted webhooks get the same response. */
export function findWebhook(context: IngressContext, request: IngressRequest): Reception | IngressAnswer {
  const path = parseWebhookPath(request.target.path);
  if (path === null) return rejectUnserved(context, readUid(request.target.path), 'POST');
  const webhook = context.registry.current().webhooks.get(path.uid);
  if (webhook === undefined || (path.token !== null && webhook.credential.mode !== 'url_token')) {
    return rejectUnserved(context, path.uid, request.method);
  }
  return new Reception({ request, webhook, urlToken: path.token, baseUrl: context.baseUrl(), clock: context.clock });
}

/** The answer is the same for known and unknown webhooks. Only the counts differ. */
function rejectUnserved(context: IngressContext, uid: string, method: string): IngressAnswer {
  const known = context.registry.known.find(uid);
  if (known === undefined) {
    context.urlProbes.note(uid);
    return rejectUnknown(context, method);
  }
  if (method === 'POST') context.unlogged.add(known, known.unserved ?? 'unexpected_path');
  else context.unlogged.add(known, 'method_not_allowed');
  return answerUnserved(method);
}

function rejectUnknown({ metrics }: IngressContext, method: string): IngressAnswer {
  metrics.countRejection(method === 'POST' ? 'not_found' : 'method_not_allowed');
  return answerUnserved(method);
}

function answerUnserved(method: string): IngressAnswer {
  return method === 'POST' ? answers.NOT_FOUND : answers.METHOD_NOT_ALLOWED;
}

/** Counts a request that breaks the rules of HTTP, if its path is that of a known webhook. */
export function countMalformed({ registry, unlogged }: IngressContext, path: string): void {
  const known = registry.known.find(readUid(path));
  if (known !== undefined) unlogged.add(known, 'malformed_request');
}

/** The UID at the beginning of a path. Empty if the path is none of a webhook. */
function readUid(path: string): string {
  return path.startsWith(PREFIX) ? path.slice(PREFIX.length).split('/', 1)[0]! : '';
}

/** Parses `/webhooks/w/<uid>` and `/webhooks/w/<uid>/<token>`; `null` for any other path. */
export function parseWebhookPath(path: string): WebhookPath | null {
  if (!path.startsWith(PREFIX)) return null;
  const segments = path.slice(PREFIX.length).split('/');
  const [uid, token] = segments;
  if (segments.length > 2 || !uid || token === '') return null;
  return { uid, token: token ?? null };
}
