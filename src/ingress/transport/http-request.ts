import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FindClientAddress } from '../../domain/network/client-address.ts';
import type { IngressRequest } from '../reception.ts';
import { type BodyRead, type BytesInFlight, type HeldBytes, readBody } from './read-body.ts';
import { createRequestHeaders, type ReceivedHeaders } from './request-headers.ts';
import { type RequestTarget, readRequestTarget } from './request-target.ts';

/** What a listener knows about all its requests. */
interface Surroundings {
  findClientAddress: FindClientAddress;
  inFlight: BytesInFlight;
}

/** One request of `node:http`, as the steps read it. */
export class HttpRequest implements IngressRequest {
  readonly target: RequestTarget;
  readonly headers: ReceivedHeaders;
  readonly clientAddress: string;
  readonly #request: IncomingMessage;
  /** The bytes of its body in memory. */
  readonly #held: HeldBytes;
  /** Of a sender that waits for `100 Continue` before it sends the body. */
  readonly #waiting: ServerResponse | null;

  /** @param waiting the response, if the sender waits for `100 Continue` */
  constructor(request: IncomingMessage, waiting: ServerResponse | null, { findClientAddress, inFlight }: Surroundings) {
    this.target = readRequestTarget(request.url!);
    this.headers = createRequestHeaders(request.rawHeaders);
    this.clientAddress = findClientAddress(request.socket.remoteAddress!, this.headers);
    this.#request = request;
    this.#waiting = waiting;
    this.#held = inFlight.open();
  }

  get method(): string {
    return this.#request.method!;
  }

  /** The announced size of the body. 0 if there is none; `null` for a chunked body. The parser checked it, and allows 2^64. */
  get announcedBytes(): number | null {
    if (this.headers.get('transfer-encoding') !== undefined) return null;
    return Math.min(Number(this.headers.get('content-length') ?? 0), Number.MAX_SAFE_INTEGER);
  }

  readBody(maxBytes: number): Promise<BodyRead> {
    const { announcedBytes } = this;
    if (announcedBytes === null || announcedBytes <= maxBytes) this.#waiting?.writeContinue();
    return readBody(this.#request, announcedBytes, maxBytes, this.#held);
  }

  /** The request is answered, and its body is no longer needed. */
  release(): void {
    this.#held.release();
  }
}
