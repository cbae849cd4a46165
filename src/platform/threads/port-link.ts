// Calls between threads. In: a call of a port. Out: the call in another thread, and its answer or error. `port-client.ts`
// makes a port of messages, `message-codec.ts` restores secrets and errors, `packed.ts` moves large values.
// Next: `task-thread.ts` for a thread that answers one question after another and is started again, `step-limits.ts` for its
// limits.

import type { MessagePort, Worker } from 'node:worker_threads';
import type { AppError } from '../../domain/errors.ts';
import { decodeMessage, type EncodedMessage, encodeMessage } from './message-codec.ts';
import { copyError, PendingCalls, type Reply } from './pending-calls.ts';
import { type PortRequest, performCall } from './port-client.ts';

type LinkMessage = { call: { id: number; request: PortRequest } } | { reply: Reply };

/**
 * Connects two threads whose ports call each other. All messages take one channel, so they arrive in the order in which
 * they were sent: what a thread reports before it answers is known before the answer. Messages may hold instances of
 * `SecretValue` and errors.
 */
export class PortLink {
  readonly #endpoint: Worker | MessagePort;
  readonly #pending = new PendingCalls();
  #end: AppError | null = null;

  /**
   * @param endpoint the worker, or in the worker its `parentPort`
   * @param own the ports that the other thread may call
   */
  constructor(endpoint: Worker | MessagePort, own: object) {
    this.#endpoint = endpoint;
    endpoint.on('message', (encoded: EncodedMessage) => {
      const message = decodeMessage(encoded) as LinkMessage;
      if ('reply' in message) this.#pending.settle(message.reply);
      else void this.#answer(own, message.call.id, message.call.request);
    });
  }

  /** Calls a port of the other thread, for `createPortClient`. */
  call(request: PortRequest): Promise<unknown> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return this.#pending.open((id) => this.#post({ call: { id, request } }));
  }

  /** The other thread has ended: open and later calls reject with `error`. */
  end(error: AppError): void {
    this.#end ??= error;
    this.#pending.rejectAll(this.#end);
  }

  async #answer(own: object, id: number, request: PortRequest): Promise<void> {
    try {
      this.#post({ reply: { id, value: await performCall(own, request) } });
    } catch (error) {
      this.#post({ reply: { id, error: copyError(error) } });
    }
  }

  #post(message: LinkMessage): void {
    const { encoded, transfer } = encodeMessage(message);
    this.#endpoint.postMessage(encoded, transfer);
  }
}
