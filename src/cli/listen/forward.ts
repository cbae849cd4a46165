import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, Webhook } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { AppError, messageOf } from '../../domain/errors.ts';
import { buildSenderRequest, type SenderRequest } from '../../ingress/sender/build-request.ts';
import { isSendableHeader, mergeHeaders } from '../../ingress/sender/given-headers.ts';
import { postDelivery } from '../../ingress/sender/post-delivery.ts';
import { connectDaemon, type DaemonClient } from '../connect-daemon.ts';
import { findDevDataDir } from '../dev/dev-file.ts';
import { nameDelivery } from '../offline/render-sample.ts';
import { postTestDelivery } from '../send/test-delivery.ts';

/** How the target answered. */
export type ForwardOutcome = { status: number; error: null } | { status: null; error: string };

/** Posts one delivery to a target. Never throws. */
export interface Forward {
  send(delivery: Delivery, body: Uint8Array): Promise<ForwardOutcome>;
  close(): void;
}

interface UrlTarget {
  url: string;
  webhook: Webhook;
  /** Signs the request as the sender of the webhook does; `null` for no credential. */
  secret: string | null;
  newId: () => string;
  nowMs: () => number;
}

/** Posts to a URL: the exact bytes, with the recorded headers, and with a credential if a secret is given. */
export function createUrlForward(target: UrlTarget): Forward {
  return {
    send: (delivery, body) => attempt(() => postDelivery(buildRequest(target, delivery, body))),
    close: () => {},
  };
}

function buildRequest(
  { url, webhook, secret, newId, nowMs }: UrlTarget,
  delivery: Delivery,
  body: Uint8Array,
): SenderRequest {
  const headers = listHeaders(delivery, webhook);
  // The token of a `url_token` webhook is a part of its URL, and the target has another one.
  if (secret === null || webhook.auth_mode === 'url_token') {
    return { url, headers: mergeHeaders({ 'Content-Type': 'application/json' }, headers), body };
  }
  const sender = {
    ingressUrl: url,
    authMode: webhook.auth_mode,
    signatureScheme: webhook.signature_scheme,
    signature: webhook.signature,
    bodyFormat: webhook.body_format,
    formField: webhook.form_field,
    deliveryIdHeader: webhook.delivery_id_header,
    deliveryIdPath: webhook.delivery_id_path,
  };
  return buildSenderRequest(sender, secret, { body, deliveryId: nameOf(delivery), headers, nowMs: nowMs(), newId });
}

/** Posts to the `dockbell dev` of a folder, with its secret: to the webhook with the same name. */
export function createDevForward(dir: string, name: string): Forward {
  let open: { client: DaemonClient; webhook: Webhook } | null = null;
  const close = () => {
    open?.client.close();
    open = null;
  };
  const send = async (delivery: Delivery, body: Uint8Array) => {
    open ??= await findDevWebhook(dir, name);
    const { client, webhook } = open;
    const message = { body, headers: listHeaders(delivery, webhook), deliveryId: nameOf(delivery) };
    return readAnswer(postTestDelivery(client.api, webhook, message));
  };
  return {
    send: async (delivery, body) => {
      const outcome = await attempt(() => send(delivery, body));
      // It may have been restarted with another port, or the webhook may have another UID.
      if (outcome.status === null) close();
      return outcome;
    },
    close,
  };
}

async function findDevWebhook(dir: string, name: string): Promise<{ client: DaemonClient; webhook: Webhook }> {
  const dataDir = await findDevDataDir(dir);
  if (dataDir === null) throw new AppError('ingress_unreachable', `No 'dockbell dev' runs in ${dir}`);
  const { admin_url: url } = JSON.parse(await readFile(join(dataDir, 'daemon.json'), 'utf8')) as { admin_url: string };
  const client = await connectDaemon({ url, token: (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim() });
  try {
    const factories = await readAnswer(client.api.GET('/api/v1/factories'));
    const path = { factory: factories.data[0]?.name ?? '' };
    const { data } = await readAnswer(client.api.GET('/api/v1/factories/{factory}/webhooks', { params: { path } }));
    const webhook = data.find((one) => one.name === name);
    if (webhook !== undefined) return { client, webhook };
    throw new AppError('not_found', `The factory in ${dir} has no webhook ${name}`);
  } catch (error) {
    client.close();
    throw error;
  }
}

async function attempt(send: () => Promise<{ status: number }>): Promise<ForwardOutcome> {
  try {
    return { status: (await send()).status, error: null };
  } catch (error) {
    const why = error instanceof RequestFailed ? error.problem.detail : messageOf(error);
    return { status: null, error: why };
  }
}

/** Longer values are cut when they are recorded. */
const MAX_RECORDED_LENGTH = 1000;
const REDACTED = '[redacted]';

/** The request headers that the log has, as far as they are complete, and the one with the delivery ID. */
function listHeaders(delivery: Delivery, webhook: Webhook): Record<string, string> {
  const recorded = Object.entries(delivery.headers ?? {}).filter(
    ([name, value]) => value.length < MAX_RECORDED_LENGTH && value !== REDACTED && isSendableHeader(name),
  );
  return mergeHeaders(nameDelivery(delivery, webhook) ?? {}, Object.fromEntries(recorded));
}

/**
 * The delivery ID that the sender sent outside the body. A replay has the one of its original, with which it would be a duplicate, so it is
 * named after its entry.
 */
function nameOf({ id, replay_of: original, delivery_id: named, delivery_id_source: source }: Delivery): string | null {
  if (original !== null) return id;
  return source === 'body_hash' || source === 'payload' ? null : named;
}
