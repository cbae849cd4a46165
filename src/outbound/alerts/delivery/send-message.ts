import type { SecretStore } from '../../../domain/ports/secret-store.ts';
import { openGuardedConnections } from '../../guarded-connections.ts';
import { describeNetworkFailure } from '../../network-failure.ts';
import type { SendOutcome } from '../../outbox.ts';
import { readRetryAfter } from '../../retry-after.ts';
import { readBeginning, sendPost } from '../../send-post.ts';
import { signWebhook } from '../../sign-webhook.ts';
import type { AlertTarget, EmailTarget, SlackTarget, WebhookTarget } from '../alert-target.ts';
import { composeSlack } from './compose-slack.ts';
import { composeWebhook } from './compose-webhook.ts';
import type { MessageContent } from './message-text.ts';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 16_384;

export interface SendParts {
  secrets: Pick<SecretStore, 'resolve'>;
  userAgent: string;
  nowMs(): number;
}

/** A problem of the configuration or of a secret, in words for the operator. */
class TargetProblem extends Error {}

/**
 * Sends a message once. Never rejects. A target may be repaired, so no failure is final. `null` if `stopping` aborted it: its
 * outcome is not known.
 */
export async function sendMessage(
  target: AlertTarget,
  content: MessageContent,
  parts: SendParts,
  stopping: AbortSignal,
): Promise<SendOutcome | null> {
  try {
    if (target.type === 'email') return await endWith(stopping, sendMail(target, content, parts));
    return await postMessage(target, content, parts, stopping);
  } catch (error) {
    return stopping.aborted ? null : postpone(describeProblem(error));
  }
}

/** Later messages to the target would fail as well. */
function postpone(problem: string, waitMs: number | null = null): SendOutcome {
  return { kind: 'later', problem, waitMs, hostWide: true };
}

function describeProblem(error: unknown): string {
  if (error instanceof TargetProblem) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`;
  return `it could not be reached: ${describeNetworkFailure(error)}`;
}

/** A mail in progress cannot be aborted. The caller does not wait for it. */
function endWith<T>(stopping: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new TargetProblem('the daemon is stopping'));
    stopping.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => stopping.removeEventListener('abort', leave));
  });
}

async function sendMail(target: EmailTarget, content: MessageContent, parts: SendParts): Promise<SendOutcome> {
  const { secretName } = target;
  const password = secretName === null ? null : await readSecret(secretName, parts);
  // Imported here: most daemons send no mail.
  const { deliverMail } = await import('./deliver-mail.ts');
  const problem = await deliverMail(target, password, content);
  return problem === null ? { kind: 'done' } : postpone(problem);
}

async function postMessage(
  target: WebhookTarget | SlackTarget,
  content: MessageContent,
  parts: SendParts,
  stopping: AbortSignal,
): Promise<SendOutcome> {
  const url = await findUrl(target, parts);
  const body = target.type === 'slack' ? composeSlack(content) : composeWebhook(content);
  const signature = target.type === 'slack' ? {} : await sign(target, url.href, { body, id: content.id }, parts);
  const headers = { ...signature, 'Content-Type': 'application/json', 'User-Agent': parts.userAgent };
  const connections = await openGuardedConnections(url, { allowPrivate: target.allowPrivateAddresses });
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await sendPost({ url: url.href, headers, body }, { signal, connections });
    await readBeginning(response.body, MAX_RESPONSE_BYTES);
    const { status } = response;
    if (status >= 200 && status < 300) return { kind: 'done' };
    const redirect = status >= 300 && status < 400 ? ': redirects are not followed; write the new URL' : '';
    const waitMs = readRetryAfter(response.headers['retry-after'], parts.nowMs());
    return postpone(`it responded with ${status}${redirect}`, waitMs);
  } finally {
    await connections.destroy();
  }
}

async function findUrl({ url, urlSecretName }: WebhookTarget | SlackTarget, parts: SendParts): Promise<URL> {
  const text = url ?? (await readSecret(urlSecretName!, parts));
  const found = URL.canParse(text) ? new URL(text) : null;
  if (found !== null && /^https?:$/.test(found.protocol) && found.username === '') return found;
  throw new TargetProblem(`the value of the team secret ${urlSecretName} is not an http or https URL`);
}

async function sign(
  { secretName }: WebhookTarget,
  url: string,
  { id, body }: { id: string; body: string },
  parts: SendParts,
): Promise<Record<string, string>> {
  const secret = await readSecret(secretName!, parts);
  try {
    return signWebhook(secret, { id, url, body: Buffer.from(body), nowMs: parts.nowMs() });
  } catch {
    throw new TargetProblem(`the value of the team secret ${secretName} is not a signing secret, such as whsec_...`);
  }
}

async function readSecret(name: string, { secrets }: SendParts): Promise<string> {
  const found = await secrets.resolve(name, 'configuration').catch(() => {
    throw new TargetProblem(`the team secret ${name} cannot be read; see the log of the daemon`);
  });
  if (found.outcome === 'found') return found.value.reveal().trim();
  throw new TargetProblem(`the team secret ${name} does not exist; create it: dockbell secret create ${name}`);
}
