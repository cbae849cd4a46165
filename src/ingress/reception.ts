import type { SignedRequest } from '../definitions/signature/verification.ts';
import { readPath } from '../domain/json.ts';
import { scanJson } from '../domain/payload/scan-json.ts';
import { WantedKeys } from '../domain/payload/wanted-keys.ts';
import type { DeliveryTrace } from '../domain/ports/tracing.ts';
import type { Clock } from '../domain/time/clock.ts';
import { type ReadForm, readFormBody } from './form-body.ts';
import { type ReadBody, readJsonBody } from './json-body.ts';
import type { LiveWebhook } from './registry/live-webhook.ts';
import type { BodyRead } from './transport/read-body.ts';
import type { ReceivedHeaders } from './transport/request-headers.ts';
import type { RequestTarget } from './transport/request-target.ts';

/** A request without its transport. */
export interface IngressRequest {
  method: string;
  target: RequestTarget;
  headers: ReceivedHeaders;
  clientAddress: string;
  /** Reads the body into a dedicated buffer. Call it at most once. */
  readBody(maxBytes: number): Promise<BodyRead>;
}

interface ReceptionParts {
  request: IngressRequest;
  /** The live webhook at the time of the request. */
  webhook: LiveWebhook;
  /** The credential segment of the path; `null` if the path has none. */
  urlToken: string | null;
  /** Public address of the ingress, without a trailing slash. */
  baseUrl: string;
  clock: Clock;
}

/** One request to a live webhook: the received data, and the results of the steps. */
export class Reception implements SignedRequest {
  readonly request: IngressRequest;
  readonly webhook: LiveWebhook;
  readonly urlToken: string | null;
  /** On the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** `null` if tracing is off. */
  trace: DeliveryTrace | null = null;
  /** The provider's ID of the delivery; `null` before verification or if the request has none. */
  providerIdentity: string | null = null;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  #body = NO_BODY;
  /** The body as JSON, if it is a form that was read. */
  #form: ReadForm | null = null;
  /** The values for the filters, and the apply whose filters need them. */
  #payload: { read: ReadBody; apply: object } | null = null;

  constructor({ request, webhook, urlToken, baseUrl, clock }: ReceptionParts) {
    this.request = request;
    this.webhook = webhook;
    this.urlToken = urlToken;
    this.#baseUrl = baseUrl;
    this.#clock = clock;
    this.startedAt = clock.monotonicMs();
  }

  get method(): string {
    return this.request.method;
  }

  get headers(): ReceivedHeaders {
    return this.request.headers;
  }

  /** The exact bytes; empty until the body is read. */
  get body(): Buffer<ArrayBuffer> {
    return this.#body;
  }

  /** The current wall time in milliseconds. A signature is checked against the time after the body was read. */
  get nowMs(): number {
    return this.#clock.wallMs();
  }

  receiveBody(bytes: Buffer<ArrayBuffer>): void {
    this.#body = bytes;
  }

  /** Checks the body, and reads what the filters of the listening automations need. */
  readPayload(): ReadBody {
    const { listeners } = this.webhook;
    // An apply can change the listeners while a handshake waits for the storage.
    if (this.#payload?.apply !== listeners.apply) {
      const read = this.#readJson(listeners.needsPayload ? listeners.wanted : null);
      this.#payload = { read, apply: listeners.apply };
    }
    return this.#payload.read;
  }

  json(paths: Iterable<readonly string[]>): unknown {
    const read = this.#readJson(WantedKeys.of(paths));
    return read.ok ? read.value : undefined;
  }

  /** The payload as JSON: the body, or the JSON of a form. Valid after `readPayload` accepted it. */
  get payload(): Buffer<ArrayBuffer> {
    return this.#form?.ok ? this.#form.json : this.#body;
  }

  /** The number at a path as text, with all its digits. Valid after `readPayload` accepted the payload. */
  readDigits(path: readonly string[]): unknown {
    const scan = scanJson(this.payload, WantedKeys.of([path]), 'text');
    return scan.ok ? readPath(scan.value, path) : undefined;
  }

  #readJson(wanted: WantedKeys | null): ReadBody {
    const { form } = this.webhook;
    if (form === null) return readJsonBody(this.#body, wanted);
    this.#form ??= readFormBody(this.#body, form, this.headers.get('content-type'));
    return this.#form.ok ? readJsonBody(this.#form.json, wanted, 'in the JSON of the form, ') : this.#form;
  }

  /** The URL that is configured at the sender, with the received query. Some senders sign it. */
  publicUrl(): string {
    return `${this.#baseUrl}/webhooks/w/${this.webhook.uid}${this.request.target.query}`;
  }
}

const NO_BODY = Buffer.alloc(0);
